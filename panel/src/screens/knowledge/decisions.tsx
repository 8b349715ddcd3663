/** Decisions of the project: the `/when` index, tried, listed, checked and added to. */
import { useMemo, useState } from 'react';
import type { UsageStats, Validation, WhenHealth } from '../../../../src/index.js';
import { count, counted, percent } from '../../format.js';
import { Badge, Button, Empty, Facts, Loaded, Section } from '../../parts/basics.js';
import { List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { useAsk } from '../../queries.js';
import { NewEntry } from './new-entry.js';
import { plainCommand, TryQuestion } from './try-question.js';

/** Nobody tells when somebody has edited the files. */
const LOOK_MS = 20_000;

export function Decisions() {
  const health = useAsk<WhenHealth>('when', '/when/health', undefined, { everyMs: LOOK_MS });
  const [asked, setAsked] = useState('');
  const [isAdding, setAdding] = useState(false);
  return (
    <Loaded query={health} lines={6}>
      {(found) =>
        found.index === null ? (
          <NoIndex add={() => setAdding(true)} isAdding={isAdding} close={() => setAdding(false)} />
        ) : (
          <>
            {found.degraded !== undefined && <p className="notice">{found.degraded}</p>}
            <TryQuestion asked={asked} ask={setAsked} />
            <Entries health={found} ask={setAsked} add={() => setAdding(true)} />
            <Findings />
            <Use />
            {isAdding && <NewEntry close={() => setAdding(false)} />}
          </>
        )
      }
    </Loaded>
  );
}

function NoIndex({
  add,
  isAdding,
  close,
}: {
  add: () => void;
  isAdding: boolean;
  close: () => void;
}) {
  return (
    <>
      <Empty title="This agent has no /when index.">
        <p>
          It is a file of lines such as{' '}
          <code>/when writing mock tests | Mock Patching | patch where it is used</code>, each of
          which leads to a section of a decision file. Name it in the settings of the agent and
          start it again:
        </p>
        <pre className="sample">CUE_WHEN_INDEX=agents/memory-index.md</pre>
        <p>Or write the first entry here; an agent that works in a project makes its index then.</p>
        <div className="actions centered">
          <Button look="main" onClick={add}>
            New entry…
          </Button>
        </div>
      </Empty>
      {isAdding && <NewEntry close={close} />}
    </>
  );
}

interface Entry {
  command: string;
  header: string;
  description: string;
  file: string;
  use: { offered: number; recalled: number; last_at: string | null };
}

const idOf = ({ command, header }: Entry): string => `${command} ${header}`;

function Entries({
  health,
  ask,
  add,
}: {
  health: WhenHealth;
  ask: (question: string) => void;
  add: () => void;
}) {
  const [typed, setTyped] = useState('');
  const query = useAsk<{ entries: Entry[] }>('when', '/when/entries', undefined, {
    everyMs: LOOK_MS,
  });
  const shown = useMemo(() => {
    const words = typed.toLowerCase().split(/\s+/);
    return (query.data?.entries ?? []).filter(({ command, header, description, file }) => {
      const text = `${command} ${header} ${description} ${file}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [typed, query.data]);
  return (
    <Section
      title="Entries"
      aside={
        <Button look="main" onClick={add}>
          New entry…
        </Button>
      }
    >
      <p className="quiet wrap-anywhere">
        {counted(health.entries, 'entry', 'entries')} lead to {counted(health.sections, 'section')}{' '}
        in {counted(health.files, 'file')} of <code>{health.index}</code>
      </p>
      <Loaded query={query}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty title="No entry leads to a section yet.">
              <p>
                Add one, or say in the chat: “remember when writing tests: patch where it is used”.
              </p>
            </Empty>
          ) : (
            <>
              <div className="filters inline">
                <input
                  type="search"
                  className="narrow wide"
                  aria-label="Search entries"
                  placeholder="Search entries"
                  value={typed}
                  onChange={(event) => setTyped(event.target.value)}
                />
                {typed !== '' && (
                  <span className="quiet" role="status">
                    {counted(shown.length, 'entry', 'entries')}
                  </span>
                )}
              </div>
              <List label="Entries" items={shown} idOf={idOf} rowHeight={59}>
                {(entry) => <EntryRow entry={entry} ask={ask} />}
              </List>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function EntryRow({ entry, ask }: { entry: Entry; ask: (question: string) => void }) {
  const { command, header, description, file, use } = entry;
  return (
    <div className="memory-row entry-row">
      <div className="grow">
        <Button look="ghost" className="as-link clip" onClick={() => ask(plainCommand(command))}>
          {command}
        </Button>
        <p className="quiet clip" dir="auto" title={`${header}: ${description}`}>
          {header} · {description}
        </p>
      </div>
      <div className="end quiet">
        <code className="clip">{file}</code>
        <span>
          {useText(use)}
          {use.last_at !== null && (
            <>
              {' · '}
              <Time at={use.last_at} />
            </>
          )}
        </span>
      </div>
    </div>
  );
}

function useText({ recalled, offered }: Entry['use']): string {
  const parts = [
    ...(recalled > 0 ? [`given ${times(recalled)}`] : []),
    ...(offered > 0 ? [`offered ${times(offered)}`] : []),
  ];
  return parts.length === 0 ? 'never used' : parts.join(', ');
}

const times = (n: number): string => (n === 1 ? 'once' : `${count(n)} times`);

function Findings() {
  const query = useAsk<Validation>('when', '/when/validate', undefined, { everyMs: LOOK_MS });
  return (
    <Section title="Validator">
      <Loaded query={query}>
        {({ problems, counts }) =>
          problems.length === 0 ? (
            <p>
              <Badge tone="good">ok</Badge> Nothing is wrong in{' '}
              {counted(counts.entries, 'entry', 'entries')} and {counted(counts.files, 'file')}.
            </p>
          ) : (
            <ul className="lines">
              {problems.map(({ severity, file, line, code, message, fixable }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: one line may have the same problem twice
                <li key={index}>
                  <Badge tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Badge>
                  <div className="grow">
                    <p className="wrap-anywhere">{message}</p>
                    <p className="quiet wrap-anywhere">
                      <code>{line === undefined ? file : `${file}:${line}`}</code> · {code}
                      {fixable && ' · cue when validate --fix mends it'}
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function Use() {
  const query = useAsk<UsageStats>('when', '/when/stats', undefined, { everyMs: LOOK_MS });
  return (
    <Section title="How often the agent recalls what it could">
      <Loaded query={query}>
        {({ rate, recalled, opportunities, last30, target, spontaneous, answered_offers }) => (
          <Facts
            facts={[
              [
                'In all',
                opportunities === 0
                  ? 'nothing to judge yet'
                  : `${percent(rate)} (${count(recalled)} of ${counted(opportunities, 'opportunity', 'opportunities')})`,
              ],
              [
                'Last 30 sessions',
                last30.rate === null ? (
                  '–'
                ) : (
                  <span key="last">
                    {percent(last30.rate)}{' '}
                    <Badge tone={last30.over_target ? 'good' : 'warn'}>
                      {last30.over_target ? 'over' : 'under'} the target
                    </Badge>{' '}
                    of {percent(target)} recalled
                  </span>
                ),
              ],
              ['Unasked', count(spontaneous)],
              ['After an offer', count(answered_offers)],
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
