/** Everything of a trigger that can be changed; what was not touched is not sent. */
import { type FormEvent, useState } from 'react';
import type { TriggerSummary } from '../../../../src/index.js';
import { ApiError, ask } from '../../api.js';
import { Button, Loaded, messageOf } from '../../parts/basics.js';
import { Dialog } from '../../parts/dialog.js';
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
  return (
    <Dialog
      look="drawer"
      title={`Edit ${query.data?.trigger.displayName ?? 'trigger'}`}
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
        {({ trigger }) => <EditForm trigger={trigger} close={close} />}
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
    ...(has('instructions') ? { instructions: now.instructions } : {}),
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

function EditForm({ trigger, close }: { trigger: TriggerSummary; close: () => void }) {
  // What is typed stays, whatever happens to the trigger meanwhile.
  const [before] = useState(() => fieldsOf(trigger));
  const [now, setNow] = useState(before);
  const [refusal, setRefusal] = useState<unknown>(null);
  const reading = useReading(now.when === before.when ? '' : now.when, now.timezone);
  const field = (name: keyof Fields) => ({
    value: now[name],
    onChange: (event: { target: { value: string } }) =>
      setNow({ ...now, [name]: event.target.value }),
  });
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const changes = changesOf(before, now, trigger);
    if (Object.keys(changes).length === 0) {
      close();
      return;
    }
    try {
      await ask(`/triggers/${trigger.id}`, { method: 'PUT', body: changes });
      await refresh(['triggers']);
      say(`Saved “${short(now.displayName)}”`);
      close();
    } catch (error) {
      setRefusal(error);
    }
  };
  return (
    <form id={FORM} className="fields" onSubmit={(event) => void save(event)}>
      {refusal !== null && <Refusal error={refusal} />}
      <label>
        Name
        <input {...field('displayName')} maxLength={120} required />
      </label>
      <label>
        Instructions
        <textarea {...field('instructions')} dir="auto" rows={4} required />
      </label>
      <div>
        <label htmlFor="edit-when">Schedule</label>
        <input
          id="edit-when"
          {...field('when')}
          required
          maxLength={2_000}
          aria-describedby="edit-reading"
        />
        <ReadingText
          id="edit-reading"
          reading={reading}
          typed={now.when === before.when ? '' : now.when}
        />
      </div>
      <label>
        Timezone
        <input {...field('timezone')} list="zones" required />
        <datalist id="zones">
          {ZONES.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </label>
      <label>
        Wakes the agent
        <select {...field('wakeMode')}>
          <option value="inject_now">at once</option>
          <option value="next_autonomy_cycle">with the next autonomy cycle</option>
        </select>
      </label>
      <div className="pair">
        <label>
          Most runs
          <input
            {...field('maxRuns')}
            type="number"
            min={1}
            max={1_000_000}
            placeholder="no limit"
          />
        </label>
        <label>
          Failures until it is paused
          <input {...field('maxFailures')} type="number" min={1} max={100} placeholder="as set" />
        </label>
        <label>
          Seconds for a run
          <input
            {...field('timeoutSeconds')}
            type="number"
            min={1}
            max={3_600}
            placeholder="as set"
          />
        </label>
        <label>
          When it is due while it runs
          <select {...field('overlapPolicy')}>
            <option value="skip">skip that run</option>
            <option value="queue">run it afterwards</option>
          </select>
        </label>
        <label>
          Runs missed while nothing ran
          <select {...field('missedMode')}>
            <option value="once">make up for them with one</option>
            <option value="skip">leave them out</option>
            <option value="all">make up for each</option>
          </select>
        </label>
        {now.missedMode !== 'skip' && (
          <label>
            Missed within, in hours
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
            At most so many
            <input {...field('missedMax')} type="number" min={1} max={100} required />
          </label>
        )}
      </div>
      <label>
        Room that gets the answers
        <input {...field('room')} placeholder="the room it was made in" autoComplete="off" />
      </label>
    </form>
  );
}

const FIELDS = {
  displayName: 'Name',
  instructions: 'Instructions',
  timezone: 'Timezone',
  'deliverTo.roomId': 'Room that gets the answers',
};

function Refusal({ error }: { error: unknown }) {
  const existingId = error instanceof ApiError ? error.existingId : undefined;
  return (
    <p className="failure" role="alert">
      {messageOf(error, FIELDS)}
      {existingId !== undefined && <a href={linkTo('triggers', existingId)}>Open it</a>}
    </p>
  );
}
