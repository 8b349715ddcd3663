/** Changing a memory. What somebody else changed meanwhile is kept, where both changed it one chooses. */
import { type FormEvent, useId, useState } from 'react';
import type { MemoryView } from '../../../../src/index.js';
import { ApiError, ask } from '../../api.js';
import { percent } from '../../format.js';
import { Button, Failure } from '../../parts/basics.js';
import { Dialog } from '../../parts/dialog.js';
import { say } from '../../parts/toasts.js';
import { refresh } from '../../queries.js';
import { linesOf, wordsOf } from './shapes.js';

interface Fields {
  goal: string;
  outcome: 'success' | 'failed';
  summary: string;
  failureReason: string;
  learnings: string;
  tags: string;
  remindWhen: string;
  importance: string;
}
type Name = keyof Fields;

const LABELS: Record<Name, string> = {
  goal: 'Goal',
  outcome: 'Outcome',
  summary: 'Summary',
  failureReason: 'Why it failed',
  learnings: 'Learned, one a line',
  tags: 'Tags, between commas',
  remindWhen: 'Remind when, one a line, at most five',
  importance: 'Importance',
};

/** As the server calls them. */
const FIELDS = {
  'intent.goal': LABELS.goal,
  'outcome.summary': LABELS.summary,
  'outcome.failure_reason': LABELS.failureReason,
  tags: 'Tags',
  remind_when: 'Remind when',
};

function fieldsOf({ intent, outcome, tags, remind_when, importance }: MemoryView): Fields {
  return {
    goal: intent.goal,
    outcome: outcome.success ? 'success' : 'failed',
    summary: outcome.summary,
    failureReason: outcome.failure_reason ?? '',
    learnings: outcome.learnings.join('\n'),
    tags: tags.join(', '),
    remindWhen: remind_when.join('\n'),
    importance: String(importance),
  };
}

const NAMES = Object.keys(LABELS) as Name[];

/** Only what was changed. */
function patchOf(before: Fields, after: Fields) {
  const changed = (name: Name) => before[name] !== after[name];
  const outcome = {
    ...(changed('outcome') ? { success: after.outcome === 'success' } : {}),
    ...(changed('summary') ? { summary: after.summary } : {}),
    ...(changed('failureReason') ? { failure_reason: after.failureReason.trim() || null } : {}),
    ...(changed('learnings') ? { learnings: linesOf(after.learnings) } : {}),
  };
  return {
    ...(changed('goal') ? { intent: { goal: after.goal } } : {}),
    ...(Object.keys(outcome).length > 0 ? { outcome } : {}),
    ...(changed('tags') ? { tags: wordsOf(after.tags) } : {}),
    ...(changed('remindWhen') ? { remind_when: linesOf(after.remindWhen) } : {}),
    ...(changed('importance') ? { importance: Number(after.importance) } : {}),
  };
}

export function EditMemory({ memory, close }: { memory: MemoryView; close: () => void }) {
  const form = useId();
  const [base, setBase] = useState(memory);
  const [fields, setFields] = useState(() => fieldsOf(memory));
  const [problem, setProblem] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<Partial<Fields> | null>(null);
  const [isBusy, setBusy] = useState(false);
  const patch = patchOf(fieldsOf(base), fields);
  const isChanged = Object.keys(patch).length > 0;

  /** The newer version is loaded; where only one side changed a field, that change holds. */
  const takeNewer = async (): Promise<void> => {
    const path = `/memories/${encodeURIComponent(memory.id)}`;
    const { memory: newer } = await ask<{ memory: MemoryView }>(path);
    const [before, now] = [fieldsOf(base), fieldsOf(newer)];
    const mine = NAMES.filter((name) => fields[name] !== before[name]);
    const both = mine.filter((name) => now[name] !== before[name] && now[name] !== fields[name]);
    setBase(newer);
    setFields({ ...now, ...Object.fromEntries(mine.map((name) => [name, fields[name]])) });
    setTheirs(Object.fromEntries(both.map((name) => [name, now[name]])));
  };
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await ask(`/memories/${encodeURIComponent(memory.id)}`, {
        method: 'PATCH',
        body: { ...patch, revision: base.revision },
      });
      say('Saved.');
      void refresh(['memories']);
      close();
    } catch (error) {
      const isConflict = error instanceof ApiError && error.code === 'CONFLICT';
      await (isConflict ? takeNewer() : Promise.reject(error)).catch(setProblem);
    } finally {
      setBusy(false);
    }
  };
  const field = (name: Name) => ({
    name,
    label: LABELS[name],
    value: fields[name],
    theirs: theirs?.[name],
    set: (value: string) => setFields((now) => ({ ...now, [name]: value })),
  });

  return (
    <Dialog
      title="Edit memory"
      look="drawer"
      isChanged={isChanged}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" form={form} disabled={!isChanged}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void save(event)}>
        {theirs !== null && (
          <p className="notice" role="alert">
            Somebody changed this memory meanwhile. The newer version (revision {base.revision}) is
            loaded, with your changes in it: look at it and save again.
          </p>
        )}
        {problem !== null && <Failure error={problem} labels={FIELDS} />}
        <TextField {...field('goal')} rows={2} />
        <fieldset className="choice">
          <legend>{LABELS.outcome}</legend>
          {(['success', 'failed'] as const).map((outcome) => (
            <label key={outcome} className="check">
              <input
                type="radio"
                name="outcome"
                checked={fields.outcome === outcome}
                onChange={() => field('outcome').set(outcome)}
              />
              {outcome}
            </label>
          ))}
        </fieldset>
        <TextField {...field('summary')} rows={3} />
        {fields.outcome === 'failed' && <TextField {...field('failureReason')} rows={2} />}
        <TextField {...field('learnings')} rows={3} />
        <TextField {...field('tags')} rows={1} />
        <TextField {...field('remindWhen')} rows={3} />
        <label>
          {LABELS.importance}
          <span className="range">
            <input
              type="range"
              min="0"
              max="1"
              step="0.05"
              value={fields.importance}
              onChange={(event) => field('importance').set(event.target.value)}
            />
            <output>{percent(Number(fields.importance))}</output>
          </span>
        </label>
      </form>
    </Dialog>
  );
}

function TextField({
  name,
  label,
  value,
  theirs,
  rows,
  set,
}: {
  name: string;
  label: string;
  value: string;
  theirs: string | undefined;
  rows: number;
  set: (value: string) => void;
}) {
  return (
    <div>
      <label>
        {label}
        <textarea
          name={name}
          dir="auto"
          rows={rows}
          value={value}
          onChange={(event) => set(event.target.value)}
        />
      </label>
      {theirs !== undefined && (
        <div className="theirs">
          <p dir="auto">
            <span className="quiet">There it is now: </span>
            {theirs === '' ? 'empty' : theirs}
          </p>
          <Button className="small" onClick={() => set(theirs)}>
            Take that
          </Button>
        </div>
      )}
    </div>
  );
}
