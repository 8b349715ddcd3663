/** What can be done with a trigger, from its row and from its drawer. */
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import type { TriggerSummary } from '../../../../src/index.js';
import { ask } from '../../api.js';
import { shortDate } from '../../format.js';
import { Button } from '../../parts/basics.js';
import { Dialog } from '../../parts/dialog.js';
import { Menu, type MenuEntry } from '../../parts/menu.js';
import { actWithUndo, say, sayFailed } from '../../parts/toasts.js';
import { refresh } from '../../queries.js';
import { goTo, linkTo } from '../../route.js';
import type { Run } from '../../shapes.js';

const HOUR_MS = 3_600_000;
const MORNING = 9;
/** How long the server may take to answer before the page says that it is still running. */
const WAIT_MS = 15_000;
const SHORT = 60;

/** A name as it fits into a sentence. */
export function short(name: string): string {
  const characters = [...name];
  return characters.length <= SHORT ? name : `${characters.slice(0, SHORT - 1).join('')}…`;
}

interface Marks {
  /** Deleted, and the time to undo it is not over. */
  hidden: ReadonlySet<string>;
  /** Asked to run from here, and not yet answered. */
  running: ReadonlySet<string>;
}

let marks: Marks = { hidden: new Set(), running: new Set() };
const watchers = new Set<() => void>();

/** The same for every row and drawer, also for those that come back into view. */
export function useMarks(): Marks {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => marks,
  );
}

function mark(kind: keyof Marks, id: string, isSet: boolean): void {
  const next = new Set(marks[kind]);
  if (isSet) next.add(id);
  else next.delete(id);
  marks = { ...marks, [kind]: next };
  for (const watcher of watchers) watcher();
}

async function change({ id }: TriggerSummary, body: object, done: string): Promise<void> {
  try {
    await ask(`/triggers/${id}`, { method: 'PUT', body });
    say(done);
  } catch (error) {
    sayFailed(error);
  } finally {
    await refresh(['triggers', 'runs']);
  }
}

export const isOn = ({ state }: TriggerSummary): boolean =>
  state === 'active' || state === 'resting';

export function pauseOrResume(trigger: TriggerSummary): void {
  const name = short(trigger.displayName);
  void (isOn(trigger)
    ? change(trigger, { enabled: false }, `Paused “${name}”`)
    : change(trigger, { enabled: true }, `Resumed “${name}”`));
}

function snooze(trigger: TriggerSummary, untilMs: number): void {
  const done = `The next run of “${short(trigger.displayName)}” comes ${shortDate(untilMs)}`;
  void change(trigger, { snoozeUntil: new Date(untilMs).toISOString() }, done);
}

const ENDS: Record<Run['status'], string> = {
  success: 'has run',
  failed: 'failed',
  skipped: 'was skipped',
  deferred: 'was put off',
  running: 'is still running',
};

/** Says what came of it when it comes. */
export async function runNow({ id, displayName }: TriggerSummary): Promise<void> {
  mark('running', id, true);
  try {
    const { run } = await ask<{ run: Run | null }>(`/triggers/${id}/execute`, {
      method: 'POST',
      query: { waitMs: WAIT_MS },
    });
    if (run === null) return;
    say(`“${short(displayName)}” ${ENDS[run.status]}`, {
      text: run.error ?? run.answer ?? run.reason ?? 'No answer yet.',
      link: { name: 'Open', href: linkTo('triggers', id, run.triggerRunId) },
      stays: true,
    });
  } catch (error) {
    sayFailed(error);
  } finally {
    mark('running', id, false);
    await refresh(['triggers', 'runs']);
  }
}

function remove({ id, displayName }: TriggerSummary): void {
  mark('hidden', id, true);
  const show = () => mark('hidden', id, false);
  actWithUndo(
    `Deleted “${short(displayName)}”`,
    async () => {
      await ask(`/triggers/${id}`, { method: 'DELETE' });
      await refresh(['triggers', 'runs']);
      show();
    },
    show,
  );
}

function tomorrowMorning(): number {
  const day = new Date();
  day.setDate(day.getDate() + 1);
  return day.setHours(MORNING, 0, 0, 0);
}

/** Everything, in a menu. `removed` is called when it has been deleted from here. */
export function TriggerMenu({
  trigger,
  removed,
}: {
  trigger: TriggerSummary;
  removed?: () => void;
}) {
  const { running } = useMarks();
  const [isChoosing, setIsChoosing] = useState(false);
  const isBroken = trigger.state === 'invalid';
  const hasNext = isOn(trigger) && trigger.nextRunAtMs !== null;
  const later = (name: string, act: () => void): MenuEntry => ({ name, act, isDisabled: !hasNext });
  return (
    <>
      <Menu
        label={`More for ${trigger.displayName}`}
        groups={[
          [
            {
              name: 'Run now',
              act: () => void runNow(trigger),
              isDisabled: isBroken || running.has(trigger.id),
            },
            {
              name: isOn(trigger) ? 'Pause' : 'Resume',
              act: () => pauseOrResume(trigger),
              isDisabled: isBroken,
            },
          ],
          [
            later('Snooze for 1 hour', () => snooze(trigger, Date.now() + HOUR_MS)),
            later('Snooze until tomorrow', () => snooze(trigger, tomorrowMorning())),
            later('Snooze until…', () => setIsChoosing(true)),
            ...(trigger.triggerType === 'once'
              ? []
              : [
                  later('Skip the next run', () => {
                    const done = `The next run of “${short(trigger.displayName)}” is skipped`;
                    void change(trigger, { skipNext: true }, done);
                  }),
                ]),
          ],
          [
            {
              name: 'Edit…',
              act: () => goTo('triggers', trigger.id, 'edit'),
              isDisabled: isBroken,
            },
            {
              name: 'Delete',
              isDanger: true,
              act() {
                remove(trigger);
                removed?.();
              },
            },
          ],
        ]}
      />
      {isChoosing && <SnoozeDialog trigger={trigger} close={() => setIsChoosing(false)} />}
    </>
  );
}

function SnoozeDialog({ trigger, close }: { trigger: TriggerSummary; close: () => void }) {
  const [until, setUntil] = useState(() => localInput(tomorrowMorning()));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    snooze(trigger, new Date(until).getTime());
    close();
  };
  return (
    <Dialog
      title="Snooze until"
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" form="snooze" disabled={until === ''}>
            Snooze
          </Button>
        </>
      }
    >
      <form id="snooze" onSubmit={submit}>
        <label>
          The next run of “{short(trigger.displayName)}” comes
          <input
            type="datetime-local"
            value={until}
            min={localInput(Date.now())}
            required
            onChange={(event) => setUntil(event.target.value)}
          />
        </label>
      </form>
    </Dialog>
  );
}

/** As an input of date and time takes it, in the zone of the viewer. */
function localInput(atMs: number): string {
  const at = new Date(atMs);
  return new Date(atMs - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
