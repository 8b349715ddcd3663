/** What is said where nothing is given: why, and what comes closest. Pure. */
import { ALIKE, createNearest, type Names } from './names.js';
import type { Library, LinkedEntry, Match } from './types.js';

interface Miss {
  message: string;
  /** Commands. */
  suggestions: string[];
}

const SUGGESTED = 5;
/** Names that a message lists. */
const LISTED = 8;

/** Why an entry is no answer to its own trigger: it leads to no section. */
export function leadsNowhere({ phrase, line, header, file, group, unread }: LinkedEntry): string {
  const place = `"${phrase}" (line ${line} of the index)`;
  if (unread) {
    return `${place} leads to "${header}" in ${file ?? `"${group}"`}, which could not be read`;
  }
  if (file === null) {
    return group === ''
      ? `${place} stands under no decision file`
      : `${place} stands under "${group}", which names no decision file`;
  }
  return `${place} leads to "${header}", which ${file} does not have`;
}

/** Sections of its file that are called much like the one that is missing. */
export function nearestTitles(
  { files }: Pick<Library, 'files'>,
  { file, header }: LinkedEntry,
): string {
  const sections = files.find(({ path }) => path === file)?.sections ?? [];
  const near = createNearest(sections.map(({ title }) => title)).to(header, SUGGESTED, ALIKE);
  return near.length === 0 ? '' : ` Closest there: ${near.map((one) => `§ ${one}`).join(', ')}.`;
}

/** What `§` may stand for: several of one name. */
export function several(given: readonly Pick<Match, 'header' | 'file' | 'line'>[]): Miss {
  const places = given.map(({ file, line }) => `${file}:${line}`);
  const name = given[0]?.header ?? '';
  const files = [...new Set(given.map(({ file }) => file))];
  // Of several in one file none can be named.
  const isTold = files.length === given.length;
  const names = files.map((file) => (isTold ? `§ ${file}#${name}` : `§ ${file}`));
  const how = isTold ? `; name one like this: ${names[0]}` : '';
  return {
    message: `"${name}" is ambiguous, it stands for ${places.length}: ${listed(places, LISTED)}${how}.`,
    suggestions: names.slice(0, SUGGESTED).map((one) => `/when ${one}`),
  };
}

/** What `§` names, and nothing has that name. */
export function unknown(names: Names, name: string, kind: 'section' | 'file'): Miss {
  const { near, total } =
    kind === 'file' ? names.filesLike(name, LISTED) : names.titlesLike(name, LISTED);
  if (total === 0) return { message: `No ${kind} "${name}": there are none.`, suggestions: [] };
  const which = total > near.length ? `The closest of ${total}` : 'There are';
  return {
    message: `No ${kind} "${name}". ${which}: ${near.map((one) => `§ ${one}`).join(', ')}.`,
    suggestions: near.slice(0, SUGGESTED).map((one) => `/when § ${one}`),
  };
}

function listed(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}
