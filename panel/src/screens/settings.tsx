/** What is on, what serves, who is connected; taking data out and in. */
import type { ReactNode } from 'react';
import { Badge, Empty, Facts, Loaded, Section, type Tone } from '../parts/basics.js';
import { Time } from '../parts/time.js';
import { useAsk } from '../queries.js';
import type { AgentSettings, Health } from '../shapes.js';
import { LearnedOffers } from './settings/learned.js';
import { SettingTable } from './settings/table.js';
import { Transfer } from './settings/transfer.js';

export function Settings() {
  const query = useAsk<AgentSettings>('settings', '/settings');
  return (
    <>
      <div className="columns">
        <Section title="What is on">
          <Parts />
        </Section>
        <Section title="What serves">
          <Loaded query={query} lines={6}>
            {(settings) => <Facts facts={factsOf(settings)} />}
          </Loaded>
        </Section>
      </div>
      <Section title="Connected agents">
        <Loaded query={query}>{({ clients }) => <Clients clients={clients} />}</Loaded>
      </Section>
      <Transfer />
      <LearnedOffers />
      <Loaded query={query} lines={12}>
        {({ settings }) => <SettingTable settings={settings} />}
      </Loaded>
    </>
  );
}

type State = Health['parts'][string]['status'];

const STATES: Record<State, { tone: Tone; text: string }> = {
  ok: { tone: 'good', text: 'On' },
  paused: { tone: 'info', text: 'Paused' },
  starting: { tone: 'info', text: 'Starting' },
  degraded: { tone: 'warn', text: 'Degraded' },
  failing: { tone: 'bad', text: 'Failing' },
  off: { tone: 'quiet', text: 'Off' },
};

const PARTS: Readonly<Record<string, string>> = {
  triggers: 'Triggers',
  autonomy: 'Autonomy',
  offers: 'Offers',
  memories: 'Memory',
  when: 'Knowledge (/when)',
};

function Parts() {
  const query = useAsk<Health>('health', '/health');
  return (
    <Loaded query={query} lines={5}>
      {({ parts }) => (
        <ul className="lines">
          {Object.entries(parts).map(([part, { status, reasons }]) => (
            <li key={part}>
              <span className="grow">
                {PARTS[part] ?? part}
                {reasons.map((reason) => (
                  <span key={reason} className="under quiet">
                    {reason}
                  </span>
                ))}
              </span>
              <Badge tone={STATES[status].tone}>{STATES[status].text}</Badge>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

const MODELS: Readonly<Record<string, string>> = {
  TEXT_LARGE: 'Large model',
  TEXT_SMALL: 'Small model',
  TEXT_EMBEDDING: 'Its embeddings',
};

function factsOf(settings: AgentSettings): readonly (readonly [string, ReactNode])[] {
  const { version, agent, project, models, embedder } = settings;
  const { serving } = embedder;
  return [
    ...Object.entries(models).map(
      ([model, provider]) => [MODELS[model] ?? model, provider ?? 'None'] as const,
    ),
    [
      'Cue finds with',
      serving ? (
        <>
          <code>{serving.id}</code>, {serving.dimension} numbers
          {serving.reason && <span className="under quiet">{serving.reason}</span>}
        </>
      ) : (
        'words alone'
      ),
    ],
    ['Agent', agent.name],
    ['Id', <code key="id">{agent.id}</code>],
    ['Project', project ?? 'of the working directory'],
    ['Version', version],
  ];
}

function Clients({ clients }: Pick<AgentSettings, 'clients'>) {
  if (clients.length === 0) {
    return (
      <Empty title="No agent is connected.">
        <p>
          <code>cue mcp install</code> writes the settings for a coding agent on this machine.
        </p>
      </Empty>
    );
  }
  return (
    <ul className="lines">
      {clients.map(({ name, kind, isLocal, sinceMs, lastSeenMs, isBusy }) => (
        <li key={`${name} ${sinceMs}`}>
          <span className="grow">
            <bdi>{name ?? 'An agent that has not said its name'}</bdi>
            <span className="under quiet">
              {kind.toUpperCase()}, {isLocal ? 'on this machine' : 'from elsewhere'}, since{' '}
              <Time at={sinceMs} />
            </span>
          </span>
          {isBusy ? (
            <Badge tone="info">Busy</Badge>
          ) : (
            <span className="quiet">
              heard <Time at={lastSeenMs} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
