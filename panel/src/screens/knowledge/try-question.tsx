/** What the index answers to a question. Asking counts as a use, so it is asked on Enter only. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Answer, Match, Recall } from '../../../../src/index.js';
import { ask as askServer } from '../../api.js';
import { Badge, Button, Empty, Failure, Loading, Section, type Tone } from '../../parts/basics.js';
import { Confidence } from '../../parts/confidence.js';
import { refresh } from '../../queries.js';

/** It goes into the address, which servers take only so long. */
const LONGEST = 1_000;

/** `/when writing tests` as one would ask it. */
export function plainCommand(command: string): string {
  return command.replace(/^\/(when|how)\s+/i, '');
}

const FOUND: Record<Answer['found'], { tone: Tone; text: string }> = {
  exact: { tone: 'good', text: 'named exactly' },
  hybrid: { tone: 'info', text: 'found by likeness' },
  none: { tone: 'warn', text: 'not found' },
};

export function TryQuestion({ asked, ask }: { asked: string; ask: (question: string) => void }) {
  const [typed, setTyped] = useState(asked);
  const [known, setKnown] = useState(asked);
  if (asked !== known) {
    setKnown(asked);
    setTyped(asked);
  }
  const query = useQuery({
    queryKey: ['asked', asked],
    async queryFn({ signal }) {
      const recall = await askServer<Recall>('/when', { query: { q: asked }, signal });
      void refresh(['when']);
      return recall;
    },
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const question = typed.trim();
    if (question === '') return;
    if (question === asked) void query.refetch();
    else ask(question);
  };
  return (
    <Section title="Try a question">
      <form className="question" onSubmit={submit}>
        <input
          aria-label="Question"
          placeholder="What one is about to do: “writing mock tests”"
          value={typed}
          maxLength={LONGEST}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button look="main" type="submit" disabled={typed.trim() === ''}>
          Ask
        </Button>
      </form>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {asked !== '' && query.isPending && !query.error && <Loading lines={4} />}
      {asked !== '' && query.data !== undefined && (
        <div className={query.isPlaceholderData ? 'answers is-old' : 'answers'} role="status">
          {query.data.degraded !== undefined && <p className="notice">{query.data.degraded}</p>}
          {query.data.results.map((answer) => (
            <OneAnswer key={answer.query} answer={answer} ask={ask} />
          ))}
        </div>
      )}
    </Section>
  );
}

function OneAnswer({ answer, ask }: { answer: Answer; ask: (question: string) => void }) {
  const { found, confidence, matches, related, suggestions, message } = answer;
  const given = matches.filter(({ content }) => content !== undefined);
  const others = matches.filter(({ content }) => content === undefined);
  return (
    <article className="answer">
      <p className="badges">
        <Badge tone={FOUND[found].tone}>{FOUND[found].text}</Badge>
        {found !== 'none' && <Confidence share={confidence} />}
      </p>
      {message !== undefined && <p className="wrap-anywhere">{message}</p>}
      {matches.length === 0 && (
        <Empty title="Nothing of the index bears on that.">
          <p>Use the words of a trigger, or add an entry for it.</p>
        </Empty>
      )}
      {given.map((match) => (
        <section key={match.rank} className="given">
          <h3 dir="auto">{match.header}</h3>
          <Where match={match} />
          <pre dir="auto">{match.content?.trim()}</pre>
        </section>
      ))}
      {others.length > 0 && (
        <>
          <h3>{given.length > 0 ? 'Less likely' : 'Nearest'}</h3>
          <ul className="lines tight">
            {others.map((match) => (
              <li key={match.rank}>
                <div className="grow">
                  <Button
                    look="ghost"
                    className="as-link clip"
                    onClick={() => ask(match.trigger || `§ ${match.header}`)}
                  >
                    {match.header}
                  </Button>
                  <Where match={match} />
                </div>
                <Confidence share={match.confidence} />
              </li>
            ))}
          </ul>
        </>
      )}
      <Leads title="Related" leads={related} ask={ask} />
      <Leads
        title="Did you mean"
        leads={suggestions.map((command) => ({ command, note: '' }))}
        ask={ask}
      />
    </article>
  );
}

function Where({ match: { trigger, file, line, description } }: { match: Match }) {
  return (
    <p className="quiet wrap-anywhere" dir="auto">
      <code>
        {file}:{line}
      </code>
      {trigger !== '' && ` · ${trigger}`}
      {description !== '' && ` · ${description}`}
    </p>
  );
}

function Leads({
  title,
  leads,
  ask,
}: {
  title: string;
  leads: readonly { command: string; note: string }[];
  ask: (question: string) => void;
}) {
  if (leads.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="chips">
        {leads.map(({ command, note }) => (
          <li key={command}>
            <Button className="chip" title={note} onClick={() => ask(plainCommand(command))}>
              {command}
              {note !== '' && <span className="quiet"> {note}</span>}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
