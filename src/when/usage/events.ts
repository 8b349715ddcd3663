/**
 * What is written down of offers and recalls, to know whether knowledge is recalled at all (seed,
 * "Success criteria"). One event is one line of JSON in a journal that the command line and running
 * agents append to. Pure.
 */
import { redactSecrets } from '../../shared/secrets.js';
import { headerKey, normalizePhrase } from '../phrases.js';
import type { Answer, Found, Recall } from '../types.js';

/** Longer ones are cut: an event must stay far below what one write may have. */
const MAX_KEY = 200;
const MAX_SESSION = 120;

const KINDS = ['offered', 'asked', 'recalled'] as const;

/** `offered`: shown without being asked. `asked`: invoked. `recalled`: invoked and given. */
export type UsageKind = (typeof KINDS)[number];

const ASKERS = ['agent', 'person', 'operator'] as const;

/**
 * Whose idea it was to ask. `agent`: its own text or action, and the command line. `person`: typed in
 * a chat. `operator`: REST.
 */
export type AskedBy = (typeof ASKERS)[number];

const FOUND = ['exact', 'hybrid', 'none'] as const satisfies readonly Found[];

export interface UsageEvent {
  /** Epoch milliseconds. */
  at: number;
  session: string;
  kind: UsageKind;
  /** `sectionKey` or `missKey`. */
  key: string;
  /** Who asked; absent where nobody did, and in lines of before it was written: the agent. */
  by?: AskedBy | undefined;
  /** How it was found; absent like `by`. */
  found?: Found | undefined;
}

/** What was offered or given: a section, however it was found. */
export function sectionKey(file: string, header: string): string {
  return cut(`${file}#${headerKey(header)}`, MAX_KEY);
}

/** What was asked for in vain. Secrets in the words are taken out: the journal is plain text. */
export function missKey(query: string): string {
  // Before it is normalized: a token is known by its letter case and underscores.
  return cut(`?${normalizePhrase(redactSecrets(query).text)}`, MAX_KEY);
}

/** Offering these sections, as events. */
export function offeredEvents(
  sections: readonly { file: string; header: string }[],
  session: string,
  nowMs: number,
): UsageEvent[] {
  return sections.map(({ file, header }) =>
    eventOf({ kind: 'offered', key: sectionKey(file, header), session, at: nowMs }),
  );
}

/** A recall as events: each query was asked; what was found was also recalled. */
export function recallEvents(
  recall: Recall,
  session: string,
  nowMs: number,
  by: AskedBy = 'agent',
): UsageEvent[] {
  return recall.results.flatMap((answer) => {
    const { found, query } = answer;
    const given = givenKey(answer);
    // What names nothing at all is no opportunity.
    if (given === null && normalizePhrase(query) === '') return [];
    const key = given ?? missKey(query);
    const asked = eventOf({ kind: 'asked', key, session, at: nowMs, by, found });
    return given === null ? [asked] : [asked, { ...asked, kind: 'recalled' }];
  });
}

function givenKey({ found, matches }: Answer): string | null {
  const best = matches[0];
  return found === 'none' || best === undefined ? null : sectionKey(best.file, best.header);
}

function eventOf(event: UsageEvent): UsageEvent {
  return { ...event, session: cut(event.session, MAX_SESSION) };
}

/** One line, ending in a line break. */
export function printEvent({ at, session, kind, key, by, found }: UsageEvent): string {
  return `${JSON.stringify({ at, session, kind, key, by, found })}\n`;
}

/** The events of a journal's text, in its order, and how many lines were none. */
export function parseEvents(text: string): { events: UsageEvent[]; damaged: number } {
  const events: UsageEvent[] = [];
  let damaged = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const event = eventOfLine(line);
    if (event === null) damaged += 1;
    else events.push(event);
  }
  return { events, damaged };
}

/** Checked by hand: a schema library would be the slowest part of starting `cue when`. */
function eventOfLine(line: string): UsageEvent | null {
  const { at, session, kind, key, by, found } = fieldsOf(line);
  const known = KINDS.find((one) => one === kind);
  if (typeof at !== 'number' || known === undefined) return null;
  if (typeof session !== 'string' || session === '') return null;
  if (typeof key !== 'string' || key === '') return null;
  const asker = ASKERS.find((one) => one === by);
  const how = FOUND.find((one) => one === found);
  // Half understood, it would count for the wrong one.
  if (asker !== by || how !== found) return null;
  return {
    ...{ at, session, kind: known, key },
    ...(asker === undefined ? {} : { by: asker }),
    ...(how === undefined ? {} : { found: how }),
  };
}

function fieldsOf(line: string): { [field: string]: unknown } {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

/** By whole characters: half of one would not survive being written as UTF-8. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('');
}
