/** Everything of a trigger that can be changed; what was not touched is not sent. */
import { type FormEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { TriggerSummary } from '../../../../src/index.js';
import { ApiError, ask } from '../../api.js';
import { Button, Loaded, messageOf } from '../../parts/basics.js';
import { Dialog, firstField } from '../../parts/dialog.js';
import { say } from '../../parts/toasts.js';
import { refresh, useAsk } from '../../queries.js';
import { goTo, linkTo } from '../../route.js';
import { short } from './actions.js';
import { ReadingText, useReading, viewerZone } from './preview.js';

const ZONES = Intl.supportedValuesOf('timeZone');
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const FORM = 'edit-trigger';

export function EditDrawer({ id }: { id: string }) {
  const query = useAsk<{ trigger: TriggerSummary }>('triggers', `/triggers/${id}`);
  const close = () => goTo('triggers', id);
  const [isChanged, setChanged] = useState(false);
  return (
    <Dialog
      look="drawer"
      title={`Edit ${query.data?.trigger.displayName ?? 'trigger'}`}
      isChanged={isChanged}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" form={FORM}>
            Save
          </Button>
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {({ trigger }) => <EditForm trigger={trigger} tell={setChanged} close={close} />}
      </Loaded>
    </Dialog>
  );
}

/** The fields as they are typed: text, whatever they mean. */
function fieldsOf(trigger: TriggerSummary) {
  const { displayName, instructions, wakeMode, maxRuns, maxFailures, timeoutMs } = trigger;
  const { overlapPolicy = 'skip', missedRunPolicy, deliverTo } = trigger;
  const typed = (value: number | undefined) => (value === undefined ? '' : String(value));
  return {
    displayName,
    instructions,
    when: scheduleWords(trigger),
    timezone: trigger.timezone ?? viewerZone(),
    wakeMode,
    maxRuns: typed(maxRuns),
    maxFailures: typed(maxFailures),
    timeoutSeconds: typed(timeoutMs === undefined ? undefined : timeoutMs / SECOND_MS),
    overlapPolicy,
    missedMode: missedRunPolicy?.mode ?? 'once',
    missedHours: typed((missedRunPolicy?.windowMs ?? 24 * HOUR_MS) / HOUR_MS),
    missedMax: typed(missedRunPolicy?.max ?? 10),
    room: deliverTo?.roomId ?? '',
  };
}

type Fields = ReturnType<typeof fieldsOf>;

const LABELS: Record<keyof Fields, string> = {
  displayName: 'Name',
  instructions: 'Instructions',
  when: 'Schedule',
  timezone: 'Timezone',
  wakeMode: 'Wakes the agent',
  maxRuns: 'Most runs',
  maxFailures: 'Failures until it is paused',
  timeoutSeconds: 'Seconds for a run',
  overlapPolicy: 'When it is due while it runs',
  missedMode: 'Runs missed while nothing ran',
  missedHours: 'Missed within, in hours',
  missedMax: 'At most so many',
  room: 'Room that gets the answers',
};
const NAMES = Object.keys(LABELS) as (keyof Fields)[];

/** Without the zone, which has a field of its own. */
function scheduleWords({ scheduleText }: TriggerSummary): string {
  return scheduleText.replace(/ \([^()]*\)$/, '');
}

/** What `PUT /triggers/:id` is to change. */
function changesOf(before: Fields, now: Fields, trigger: TriggerSummary): object {
  const has = (...names: (keyof Fields)[]) => names.some((name) => now[name] !== before[name]);
  const { roomId: _room, ...delivery } = trigger.deliverTo ?? { roomId: '' };
  return {
    ...(has('displayName') ? { displayName: now.displayName } : {}),
    // The words of a schedule may say what to do as well; what stands in its own field holds.
    ...(has('instructions', 'when') ? { instructions: now.instructions } : {}),
    ...(has('when') ? { text: now.when } : {}),
    ...(has('when', 'timezone') ? { timezone: now.timezone } : {}),
    ...(has('wakeMode') ? { wakeMode: now.wakeMode } : {}),
    ...(has('maxRuns') ? { maxRuns: numberOf(now.maxRuns) } : {}),
    ...(has('maxFailures') ? { maxFailures: numberOf(now.maxFailures) } : {}),
    ...(has('timeoutSeconds') ? { timeoutMs: numberOf(now.timeoutSeconds, SECOND_MS) } : {}),
    ...(has('overlapPolicy') ? { overlapPolicy: now.overlapPolicy } : {}),
    ...(has('missedMode', 'missedHours', 'missedMax')
      ? {
          missedRunPolicy: {
            mode: now.missedMode,
            windowMs: Number(now.missedHours) * HOUR_MS,
            max: Number(now.missedMax),
          },
        }
      : {}),
    ...(has('room')
      ? { deliverTo: now.room === '' ? null : { ...delivery, roomId: now.room.trim() } }
      : {}),
  };
}

/** An emptied field takes the limit away. */
function numberOf(typed: string, unit = 1): number | null {
  return typed === '' ? null : Number(typed) * unit;
}

function EditForm({
  trigger,
  tell,
  close,
}: {
  trigger: TriggerSummary;
  /** Is told whether there is something to save. */
  tell: (isChanged: boolean) => void;
  close: () => void;
}) {
  // What is typed stays, whatever happens to the trigger meanwhile.
  const [base, setBase] = useState(trigger);
  const before = useMemo(() => fieldsOf(base), [base]);
  const [now, setNow] = useState(before);
  const [theirs, setTheirs] = useState<readonly string[] | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const reading = useReading(now.when === before.when ? '' : now.when, now.timezone);
  const field = (name: keyof Fields) => ({
    value: now[name],
    onChange: (event: { target: { value: string } }) =>
      setNow((typed) => ({ ...typed, [name]: event.target.value })),
  });
  const changes = changesOf(before, now, base);
  const isChanged = Object.keys(changes).length > 0;
  // At once: Escape may be the next key.
  useLayoutEffect(() => {
    tell(isChanged);
    return () => tell(false);
  }, [isChanged, tell]);
  const form = useRef<HTMLFormElement>(null);
  // It comes after the dialog when the trigger has to be read first.
  useEffect(() => firstField(form.current)?.focus(), []);
  /** The newer version is loaded; what was changed here is kept, and what it would overwrite is said. */
  const takeNewer = async (): Promise<void> => {
    const path = `/triggers/${trigger.id}`;
    const { trigger: newer } = await ask<{ trigger: TriggerSummary }>(path);
    const there = fieldsOf(newer);
    const mine = NAMES.filter((name) => now[name] !== before[name]);
    const both = mine.filter((name) => there[name] !== before[name] && there[name] !== now[name]);
    setBase(newer);
    // What was typed while it was read counts, too.
    setNow((typed) => ({
      ...there,
      ...Object.fromEntries(
        NAMES.filter((name) => typed[name] !== before[name]).map((name) => [name, typed[name]]),
      ),
    }));
    setTheirs(both.map((name) => `${LABELS[name]}: ${there[name] === '' ? '–' : there[name]}`));
  };
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    if (!isChanged) {
      close();
      return;
    }
    setRefusal(null);
    setBusy(true);
    try {
      const body = { ...changes, revision: base.revision ?? 0 };
      await ask(`/triggers/${trigger.id}`, { method: 'PUT', body });
      await refresh(['triggers']);
      say(`Saved “${short(now.displayName)}”`);
      close();
    } catch (error) {
      const isConflict = error instanceof ApiError && error.code === 'CONFLICT';
      await (isConflict ? takeNewer() : Promise.reject(error)).catch(setRefusal);
      setBusy(false);
    }
  };
  return (
    <form ref={form} id={FORM} className="fields" onSubmit={(event) => void save(event)}>
      {theirs !== null && (
        <div className="notice" role="alert">
          <p>
            Somebody changed this trigger meanwhile. The newer version is loaded, with your changes
            in it: look at it and save again.
          </p>
          {theirs.length > 0 && (
            <ul className="bullets" aria-label="What you would overwrite">
              {theirs.map((one) => (
                <li key={one} dir="auto">
                  {one}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {refusal !== null && <Refusal error={refusal} />}
      <label>
        {LABELS.displayName}
        <input {...field('displayName')} required />
      </label>
      <label>
        {LABELS.instructions}
        <textarea {...field('instructions')} dir="auto" rows={4} required />
      </label>
      <div>
        <label htmlFor="edit-when">{LABELS.when}</label>
        <input id="edit-when" {...field('when')} required aria-describedby="edit-reading" />
        <ReadingText
          id="edit-reading"
          reading={reading}
          typed={now.when === before.when ? '' : now.when}
          isTimeOnly
        />
      </div>
      <label>
        {LABELS.timezone}
        <input {...field('timezone')} list="zones" required />
        <datalist id="zones">
          {ZONES.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </label>
      <label>
        {LABELS.wakeMode}
        <select {...field('wakeMode')}>
          <option value="inject_now">at once</option>
          <option value="next_autonomy_cycle">with the next autonomy cycle</option>
        </select>
      </label>
      <div className="pair">
        <label>
          {LABELS.maxRuns}
          <input
            {...field('maxRuns')}
            type="number"
            min={1}
            max={1_000_000}
            placeholder="no limit"
          />
        </label>
        <label>
          {LABELS.maxFailures}
          <input {...field('maxFailures')} type="number" min={1} max={100} placeholder="as set" />
        </label>
        <label>
          {LABELS.timeoutSeconds}
          <input
            {...field('timeoutSeconds')}
            type="number"
            min={1}
            max={3_600}
            placeholder="as set"
          />
        </label>
        <label>
          {LABELS.overlapPolicy}
          <select {...field('overlapPolicy')}>
            <option value="skip">skip that run</option>
            <option value="queue">run it afterwards</option>
          </select>
        </label>
        <label>
          {LABELS.missedMode}
          <select {...field('missedMode')}>
            <option value="once">make up for them with one</option>
            <option value="skip">leave them out</option>
            <option value="all">make up for each</option>
          </select>
        </label>
        {now.missedMode !== 'skip' && (
          <label>
            {LABELS.missedHours}
            <input
              {...field('missedHours')}
              type="number"
              min={0}
              max={8_784}
              step="any"
              required
            />
          </label>
        )}
        {now.missedMode === 'all' && (
          <label>
            {LABELS.missedMax}
            <input {...field('missedMax')} type="number" min={1} max={100} required />
          </label>
        )}
      </div>
      <label>
        {LABELS.room}
        <input {...field('room')} placeholder="the room it was made in" autoComplete="off" />
      </label>
    </form>
  );
}

/** As the server calls them, where it does not call them so. */
const FIELDS = { ...LABELS, text: LABELS.when, 'deliverTo.roomId': LABELS.room };

function Refusal({ error }: { error: unknown }) {
  const existingId = error instanceof ApiError ? error.existingId : undefined;
  return (
    <p className="failure" role="alert">
      {messageOf(error, FIELDS)}
      {existingId !== undefined && <a href={linkTo('triggers', existingId)}>Open it</a>}
    </p>
  );
}
