/** Taking memories, triggers and hints out as files, and in again. */
import { useState } from 'react';
import { ask, type Finding } from '../../api.js';
import { counted } from '../../format.js';
import { Button, messageOf, Section } from '../../parts/basics.js';
import { refresh, type Subject } from '../../queries.js';
import { type KindName, type Part, partsOf } from './parts.js';

/** What came of an import, of whatever kind. */
interface Outcome {
  created: number;
  /** Were there already, or are left out for a reason that `notes` tells. */
  skipped: number;
  rejected: number;
  notes: string[];
}

interface Kind {
  name: string;
  one: string;
  many: KindName;
  subjects: readonly Subject[];
  /** What is written into the file, and how many things are in it. */
  take: () => Promise<{ content: object; count: number }>;
  give: (part: Part) => Promise<Outcome>;
}

const KINDS: readonly Kind[] = [
  {
    ...{ name: 'Memories', one: 'memory', many: 'memories', subjects: ['memories'] },
    async take() {
      const content = await ask<{ memories: unknown[] }>('/export');
      return { content, count: content.memories.length };
    },
    async give({ body, before }) {
      const answer = await ask<{
        imported: number;
        skipped: number;
        rejected: { line: number; reason: string }[];
      }>('/import', { body });
      return {
        ...{ created: answer.imported, skipped: answer.skipped, rejected: answer.rejected.length },
        notes: answer.rejected.map(({ line, reason }) => `Record ${before + line}: ${reason}`),
      };
    },
  },
  {
    ...{ name: 'Triggers', one: 'trigger', many: 'triggers', subjects: ['triggers'] },
    async take() {
      const content = await ask<{ triggers: unknown[] }>('/triggers/export');
      return { content, count: content.triggers.length };
    },
    async give({ body, before }) {
      const { counts, rejected } = await ask<{
        counts: { created: number; duplicates: number; rejected: number };
        rejected: { index: number; findings: Finding[] }[];
      }>('/triggers/import', { body });
      return {
        ...{ created: counts.created, skipped: counts.duplicates, rejected: counts.rejected },
        notes: rejected.map(({ index, findings }) => {
          // The field is the place in the list, which is said already.
          const reasons = findings.map(({ message }) => message);
          return `Trigger ${before + index + 1}: ${reasons.join('; ')}`;
        }),
      };
    },
  },
  {
    ...{ name: 'Hints', one: 'hint', many: 'hints', subjects: ['hints'] },
    async take() {
      const { payload } = await rpc<{
        payload: { components: Record<string, { hints: object }> };
      }>('nudge.export', {});
      const count = Object.values(payload.components).flatMap(({ hints }) => Object.keys(hints));
      return { content: payload, count: count.length };
    },
    async give({ body }) {
      const { imported, skipped, reasons } = await rpc<{
        imported: number;
        skipped: number;
        reasons: string[];
      }>('nudge.import', { payload: body, mode: 'merge' });
      return { created: imported, skipped, rejected: 0, notes: reasons };
    },
  },
];

export function Transfer() {
  return (
    <Section title="Export and import">
      <p className="quiet">
        An import adds what is not there yet; what is there already stays as it is. The values of
        secret hints are in no export; triggers are exported as they were written.
      </p>
      <ul className="lines">
        {KINDS.map((kind) => (
          <li key={kind.name}>
            <OneKind kind={kind} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function OneKind({ kind }: { kind: Kind }) {
  const [isBusy, setIsBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const lower = kind.name.toLowerCase();

  const work = async (act: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    setSaid(null);
    setOutcome(null);
    try {
      await act();
    } catch (error) {
      setSaid(messageOf(error));
    } finally {
      setIsBusy(false);
    }
  };
  const take = () =>
    work(async () => {
      const { content, count } = await kind.take();
      download(`cue-${lower}-${new Date().toISOString().slice(0, 10)}.json`, content);
      setSaid(`Exported ${counted(count, kind.one, kind.many)}.`);
    });
  const give = (file: File) =>
    work(async () => {
      const parts = partsOf(await file.text(), kind.many);
      try {
        for (const part of parts) {
          const came = await kind.give(part);
          setOutcome((sum) => (sum === null ? came : added(sum, came)));
        }
      } finally {
        // Of a file in parts, those before the one that failed are in.
        await refresh(kind.subjects);
      }
    });

  return (
    <>
      <div className="grow">
        <p>{kind.name}</p>
        <div role="status">
          {isBusy && <p className="quiet">Working…</p>}
          {said !== null && <p className="quiet">{said}</p>}
          {outcome !== null && <OutcomeText outcome={outcome} />}
        </div>
      </div>
      <div className="actions">
        <Button disabled={isBusy} aria-label={`Export ${lower}`} onClick={() => void take()}>
          Export
        </Button>
        <label className={`button file ${isBusy ? 'off' : ''}`}>
          Import
          <input
            className="unseen"
            type="file"
            accept=".json,.jsonl,application/json"
            aria-label={`Import ${lower}`}
            disabled={isBusy}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              // The same file can be chosen again.
              target.value = '';
              if (file !== undefined) void give(file);
            }}
          />
        </label>
      </div>
    </>
  );
}

const NOTES_SHOWN = 20;

function OutcomeText({ outcome: { created, skipped, rejected, notes } }: { outcome: Outcome }) {
  return (
    <>
      <p className="quiet">
        {created} created, {skipped} there already or left out, {rejected} rejected.
      </p>
      {notes.length > 0 && (
        <ul className="bullets" aria-label="What was not taken in">
          {notes.slice(0, NOTES_SHOWN).map((note) => (
            <li key={note}>{note}</li>
          ))}
          {notes.length > NOTES_SHOWN && <li>and {notes.length - NOTES_SHOWN} more</li>}
        </ul>
      )}
    </>
  );
}

function download(name: string, content: object): void {
  const blob = new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function added(sum: Outcome, { created, skipped, rejected, notes }: Outcome): Outcome {
  return {
    created: sum.created + created,
    skipped: sum.skipped + skipped,
    rejected: sum.rejected + rejected,
    notes: [...sum.notes, ...notes],
  };
}

/** @throws Error with the server's words */
async function rpc<T>(method: string, params: object): Promise<T> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { result, error } = await ask<{ result?: T; error?: { message: string } }>('/rpc', {
    body,
  });
  if (result === undefined) throw new Error(error?.message ?? 'The server gave no result.');
  return result;
}
