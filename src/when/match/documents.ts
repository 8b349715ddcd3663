/** What is searched: each entry with its section, and each section that no entry leads to. Pure. */
import type { Library, LinkedEntry, Section } from '../types.js';

export interface Document {
  section: Section;
  /** `null`: the section has none. */
  entry: LinkedEntry | null;
  texts: Texts;
}

export interface Texts {
  trigger: string;
  header: string;
  description: string;
  /** File and titles that the section stands under. */
  path: string;
  /** Of the section. */
  text: string;
}

/** Characters of a section that are searched; what a megabyte says late is not what it is about. */
const MOST_CHARACTERS = 40_000;

/**
 * In the order that decides between equals: entries as they stand in the index, then sections as
 * they stand in their files. Structural sections only group others and are reached by `§`.
 */
export function documentsOf({ entries, files }: Library): Document[] {
  const documents: Document[] = [];
  const led = new Set<Section>();
  for (const entry of entries) {
    if (entry.section === null) continue;
    led.add(entry.section);
    documents.push(documentOf(entry.section, entry, entry.section.content));
  }
  for (const { sections } of files) {
    for (const [at, section] of sections.entries()) {
      if (section.structural || led.has(section)) continue;
      documents.push(documentOf(section, null, ownContent(section, sections[at + 1])));
    }
  }
  return documents;
}

function documentOf(section: Section, entry: LinkedEntry | null, content: string): Document {
  return {
    section,
    entry,
    texts: {
      trigger: entry?.phrase ?? '',
      header: withoutDot(section.title),
      description: entry?.description ?? '',
      path: [section.file.replace(/\.\w+$/, ''), ...section.path.map(withoutDot)].join(' / '),
      text: content.slice(0, MOST_CHARACTERS),
    },
  };
}

/** Without the sections below it, which have documents of their own. */
function ownContent({ content, line, level }: Section, next: Section | undefined): string {
  if (next === undefined || next.level <= level) return content;
  return content.split(/\r\n?|\n/, next.line - line - 1).join('\n');
}

function withoutDot(title: string): string {
  return title.replace(/^\.\s*/, '');
}
