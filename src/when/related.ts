/** What leads on from an answer (seed `when-recall.md` §1, "Discover related entries"). Pure. */
import type { Names } from './names.js';
import { parseRequests } from './requests.js';
import type { DecisionFile, Library, LinkedEntry, Related, Section } from './types.js';

/** What was answered with: of a trigger or of `§ Title` its section, of `§ file.md` the file. */
export type Answered =
  | { by: 'trigger' | 'section'; section: Section }
  | { by: 'file'; file: DecisionFile };

/** The command that asks for an entry; a pipe in it is escaped as in the index. */
export function commandOf(entry: Pick<LinkedEntry, 'prefix' | 'phrase'>): string {
  return `/${entry.prefix} ${entry.phrase.replaceAll('|', '\\|')}`;
}

/** Two readings of one file give the same key for the same section. */
export function keyOfSection(section: Section): string {
  return JSON.stringify([section.file, section.path, section.title, section.ordinal]);
}

/**
 * For each answer what leads on from it: of an entry its siblings, the section above and the file; of
 * a section the entries in it and the file; of a file its entries. Over the whole batch nothing is
 * listed twice, and nothing that is itself among the answers. `null`: nothing was answered.
 */
export function relatedOf(
  library: Library,
  names: Names,
  answers: readonly (Answered | null)[],
): Related[][] {
  const said = new Set<string>();
  for (const answered of answers) if (answered !== null) said.add(targetOf(answered));
  return answers.map((answered) => {
    if (answered === null) return [];
    const related: Related[] = [];
    for (const { target, command, note } of leadsFrom(library, names, answered)) {
      if (!said.has(target)) related.push({ command, note });
      said.add(target);
    }
    return related;
  });
}

interface Lead extends Related {
  /** Key of the section, or path of the file, that it leads to. */
  target: string;
}

function targetOf(answered: Answered): string {
  return answered.by === 'file' ? answered.file.path : keyOfSection(answered.section);
}

function leadsFrom(library: Library, names: Names, answered: Answered): Lead[] {
  if (answered.by === 'file') {
    return entriesTo(library, answered.file.sections, answered.file.path, 'entry');
  }
  const { section } = answered;
  const all = library.files.find((file) => file.path === section.file)?.sections ?? [];
  const name = names.fileName(section.file);
  const file = { target: section.file, command: `/when § ${name}`, note: `Full ${name} file` };
  if (answered.by === 'section') {
    return [...entriesTo(library, below(all, section), section.file, 'child'), file];
  }
  const parent = above(all, section);
  return [
    ...entriesTo(library, besides(all, section, parent), section.file, 'sibling'),
    ...leadToParent(names, parent),
    file,
  ];
}

/** Entries that lead to these sections, in the order of the index, one for each section. */
function entriesTo(
  library: Library,
  sections: readonly Section[],
  path: string,
  relation: 'sibling' | 'child' | 'entry',
): Lead[] {
  const wanted = new Set(sections.map(keyOfSection));
  const leads: Lead[] = [];
  for (const entry of library.entries) {
    if (entry.section === null || entry.section.file !== path) continue;
    const target = keyOfSection(entry.section);
    // Each section is listed once, even if several triggers lead to it.
    if (!wanted.delete(target)) continue;
    leads.push({ target, command: commandOf(entry), note: `${entry.section.title} (${relation})` });
  }
  return leads;
}

/** None when the command would not lead there: others have its title, or it reads as a file's. */
function leadToParent(names: Names, parent: Section | undefined): Lead[] {
  if (parent === undefined) return [];
  const command = `/when § ${parent.title}`;
  const [request] = parseRequests(command);
  if (request?.kind !== 'section') return [];
  const target = keyOfSection(parent);
  const [first, second] = names.sections(request.title);
  if (first === undefined || second !== undefined || keyOfSection(first) !== target) return [];
  return [{ target, command, note: 'Full parent section' }];
}

/** The nearest heading that the section stands under. */
function above(all: readonly Section[], section: Section): Section | undefined {
  if (section.path.length === 0) return undefined;
  return all.findLast((one) => one.line < section.line && one.level < section.level);
}

/** Sections directly under the same heading; without one, the plain ones of its level. */
function besides(
  all: readonly Section[],
  section: Section,
  parent: Section | undefined,
): readonly Section[] {
  if (parent !== undefined) {
    return below(all, parent).filter((one) => one.path.length === section.path.length);
  }
  return all.filter(
    (one) => one.path.length === 0 && one.level === section.level && !one.structural,
  );
}

/** What stands in a section: up to the next heading of its level or above. */
function below(all: readonly Section[], section: Section): readonly Section[] {
  const after = all.filter((one) => one.line > section.line);
  const end = after.findIndex((one) => one.level <= section.level);
  return end === -1 ? after : after.slice(0, end);
}
