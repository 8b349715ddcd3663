/** A memory, whole: what was wanted, seen, thought, done, and what came of it. */
import { type ReactNode, useState } from 'react';
import type { MemoryView } from '../../../../src/index.js';
import { duration, percent } from '../../format.js';
import { Badge, Button, Empty, Facts, isGone, Loaded } from '../../parts/basics.js';
import { Dialog } from '../../parts/dialog.js';
import { Time } from '../../parts/time.js';
import { useAsk } from '../../queries.js';
import { EditMemory } from './edit.js';
import { ForgetMemory } from './forget.js';
import { Links } from './links.js';
import type { Filters } from './shapes.js';

/** Shows what has the same file, tag or session. */
type Look = (words: string, filters?: Partial<Filters>) => void;

export function MemoryDrawer({ id, look, close }: { id: string; look: Look; close: () => void }) {
  const [mode, setMode] = useState<'read' | 'edit' | 'forget'>('read');
  const query = useAsk<{ memory: MemoryView }>(
    'memories',
    `/memories/${encodeURIComponent(id)}`,
    { counted: false },
    { enabled: mode === 'read' },
  );
  const memory = isGone(query.error) ? undefined : query.data?.memory;
  if (mode === 'edit' && memory !== undefined) {
    return <EditMemory memory={memory} close={() => setMode('read')} />;
  }
  return (
    <>
      <Dialog
        title={memory?.intent.goal ?? 'Memory'}
        look="drawer"
        close={close}
        foot={
          memory !== undefined && (
            <>
              <Button look="danger" onClick={() => setMode('forget')}>
                Forget…
              </Button>
              <Button look="main" onClick={() => setMode('edit')}>
                Edit
              </Button>
            </>
          )
        }
      >
        {isGone(query.error) ? (
          <Empty title="This memory is gone.">
            <p>It was forgotten, or the address is wrong.</p>
          </Empty>
        ) : (
          <Loaded query={query} lines={8}>
            {(found) => <Whole memory={found.memory} look={look} />}
          </Loaded>
        )}
      </Dialog>
      {mode === 'forget' && memory !== undefined && (
        <ForgetMemory memory={memory} close={() => setMode('read')} forgotten={close} />
      )}
    </>
  );
}

function Whole({ memory, look }: { memory: MemoryView; look: Look }) {
  const { intent, perception, reasoning, outcome, origin, created_at, tags, files } = memory;
  return (
    <div className="whole">
      <p className="badges">
        <Badge tone={outcome.success ? 'good' : 'bad'}>
          {outcome.success ? 'success' : 'failed'}
        </Badge>
        {intent.task_type !== 'other' && <Badge tone="quiet">{spaced(intent.task_type)}</Badge>}
        {origin === 'captured' && <Badge tone="info">captured by itself</Badge>}
        {memory.visibility !== 'project' && <Badge tone="warn">{memory.visibility}</Badge>}
        <span className="quiet">
          <Time at={created_at} />
        </span>
      </p>
      <Part title="Outcome">
        <Text>{outcome.summary}</Text>
        {outcome.failure_reason !== undefined && outcome.failure_reason !== outcome.summary && (
          <Text>{`Because: ${outcome.failure_reason}`}</Text>
        )}
        {outcome.failure_category !== undefined && (
          <p className="quiet">{spaced(outcome.failure_category)}</p>
        )}
        {outcome.verified_by !== undefined && (
          <Text>{`Verified by ${joined([outcome.verified_by.type, outcome.verified_by.command, outcome.verified_by.result])}`}</Text>
        )}
      </Part>
      <Texts title="Learned" texts={outcome.learnings} />
      <Texts title="To follow up" texts={outcome.follow_up_needed} />
      <Part title="Intent">
        <Text>{intent.goal}</Text>
        {intent.context !== undefined && <Text>{intent.context}</Text>}
        <Items texts={intent.constraints} />
      </Part>
      <Texts
        title="Perception"
        texts={[
          ...perception.observations.map(({ what, where, significance }) =>
            joined([what, where, significance]),
          ),
          ...perception.patterns_noticed.map((pattern) => `Pattern: ${pattern}`),
          ...perception.anomalies.map((anomaly) => `Strange: ${anomaly}`),
          ...perception.relevant_files.flatMap(({ path, relevance, state_summary }) =>
            relevance === undefined && state_summary === undefined
              ? []
              : [joined([path, relevance, state_summary])],
          ),
        ]}
      />
      <Texts
        title="Reasoning"
        texts={[
          ...[reasoning.approach_chosen ?? []].flat(),
          ...[reasoning.why_chosen ?? []].flat().map((why) => `Because: ${why}`),
          ...reasoning.alternatives_considered.map(({ approach, why_rejected }) =>
            joined([`Not: ${approach}`, why_rejected]),
          ),
          ...reasoning.assumptions.map((assumption) => `Assumed: ${assumption}`),
          ...reasoning.risks_identified.map((risk) => `Risk: ${risk}`),
        ]}
      />
      <Actions actions={memory.actions} />
      {files.length > 0 && (
        <Part title="Files">
          <ul className="chips">
            {files.map((file) => (
              <li key={file}>
                <Button className="chip code" onClick={() => look('', { file })}>
                  {file}
                </Button>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {tags.length > 0 && (
        <Part title="Tags">
          <ul className="chips">
            {tags.map((tag) => (
              <li key={tag}>
                <Button className="chip" onClick={() => look('', { tag })}>
                  {tag}
                </Button>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Texts title="Reminds when" texts={memory.remind_when} />
      <Links memory={memory} />
      <Origin memory={memory} look={look} />
    </div>
  );
}

function Actions({ actions }: Pick<MemoryView, 'actions'>) {
  if (actions.length === 0) return null;
  return (
    <Part title="Actions">
      <ol className="steps">
        {actions.map(({ type, details, result }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list of a memory is shown as it stands
          <li key={index}>
            <span className="quiet">{spaced(type)}</span>{' '}
            <code>
              {details.file_path ?? details.command ?? details.query ?? details.scope ?? ''}
            </code>
            {result !== undefined && (
              <>
                {' '}
                <Badge tone={result.success ? 'good' : 'bad'}>
                  {result.success ? 'passed' : 'failed'}
                </Badge>
              </>
            )}
            {result?.duration_ms !== undefined && (
              <span className="quiet"> {duration(result.duration_ms)}</span>
            )}
            {[details.lines_affected, details.diff_summary, result?.error, result?.output_summary]
              .filter((text) => text !== undefined)
              .map((text) => (
                <Text key={text}>{text}</Text>
              ))}
            {details.diff !== undefined && <pre>{details.diff}</pre>}
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** Who told it, when, and what has become of it since. */
function Origin({ memory, look }: { memory: MemoryView; look: Look }) {
  const { agent_id, session_id, created_at, last_accessed, access_count } = memory;
  const settings = useAsk<{ agent: { id: string; name: string } }>('settings', '/settings');
  const own = settings.data?.agent;
  return (
    <Part title="Where it came from">
      <Facts
        facts={[
          [
            'Origin',
            memory.origin === 'captured'
              ? 'captured by itself, from a finished run'
              : 'told by an agent or a person',
          ],
          ['By', own?.id === agent_id ? own.name : <code key="by">{agent_id}</code>],
          ['Stored', <Time key="stored" at={created_at} />],
          ...(session_id === undefined
            ? []
            : [
                [
                  'Session',
                  <Button
                    key="session"
                    className="chip code"
                    onClick={() => look(`session:${session_id}`)}
                  >
                    {session_id}
                  </Button>,
                ] as const,
              ]),
          ['Importance', percent(memory.importance)],
          ['Uses', String(access_count)],
          ...(last_accessed === null
            ? []
            : [['Last used', <Time key="used" at={last_accessed} />] as const]),
          ['Seen by', memory.visibility === 'project' ? 'the whole project' : memory.visibility],
          ['Revision', String(memory.revision)],
          ['Id', <code key="id">{memory.memory_id}</code>],
        ]}
      />
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Texts({ title, texts }: { title: string; texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <Part title={title}>
      <Items texts={texts} />
    </Part>
  );
}

function Items({ texts }: { texts: readonly string[] }) {
  return (
    <ul className="points">
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same text may stand there twice
        <li key={index} dir="auto">
          {text}
        </li>
      ))}
    </ul>
  );
}

function Text({ children }: { children: string }) {
  return (
    <p className="as-written" dir="auto">
      {children}
    </p>
  );
}

const spaced = (word: string): string => word.replaceAll('_', ' ');

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}
