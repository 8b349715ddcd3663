/** What is searched: each entry with its section, and each section that no entry leads to. Pure. */
import type { Library, LinkedEntry, Section } from '../types.js';

/** The texts of a document, each weighed on its own. */
export const FIELDS = ['trigger', 'header', 'description', 'path', 'head', 'body'] as const;
export type Field = (typeof FIELDS)[number];

export interface Document {
  section: Section;
  /** `null`: the section has none. */
  entry: LinkedEntry | null;
  texts: Readonly<Record<Field, string>>;
}

/** Characters in which a section says what it is about; what follows is detail. */
const HEAD = 600;
/** Characters of a section that are searched; what a megabyte says late is not what it is about. */
const WHOLE = 40_000;

/**
 * In the order that decides between equals: entries as they stand in the index, then sections as
 * they stand in their files. Structural sections only group others and are reached by `§`.
 */
export function documentsOf(library: Library): Document[] {
  const openings = openingsOf(library);
  const documents: Document[] = [];
  const led = new Set<Section>();
  for (const entry of library.entries) {
    if (entry.section === null) continue;
    led.add(entry.section);
    documents.push(documentOf(entry.section, entry, openings));
  }
  for (const { sections } of library.files) {
    for (const section of sections) {
      if (!section.structural && !led.has(section)) {
        documents.push(documentOf(section, null, openings));
      }
    }
  }
  return documents;
}

/** The texts that say in short what a document is about. */
export function labelOf({ texts }: Document): string {
  return [texts.trigger, texts.header, texts.description].filter((text) => text !== '').join('\n');
}

function documentOf(
  section: Section,
  entry: LinkedEntry | null,
  openings: ReadonlyMap<Section, string>,
): Document {
  const own = openings.get(section) ?? section.content;
  const cut = betweenWords(own, HEAD);
  return {
    section,
    entry,
    texts: {
      trigger: entry?.phrase ?? '',
      header: withoutDot(section.title),
      description: entry?.description ?? '',
      path: [section.file.replace(/\.\w+$/, ''), ...section.path.map(withoutDot)].join(' / '),
      head: own.slice(0, cut),
      // What stands below a section without an entry has documents of its own.
      body: (entry === null ? own : section.content).slice(cut, WHOLE),
    },
  };
}

/** The text up to the first heading below it, of sections that have such headings. */
function openingsOf({ files }: Library): Map<Section, string> {
  const openings = new Map<Section, string>();
  for (const { sections } of files) {
    for (const [at, section] of sections.entries()) {
      const next = sections[at + 1];
      if (next === undefined || next.level <= section.level) continue;
      openings.set(section, firstLines(section.content, next.line - section.line - 1));
    }
  }
  return openings;
}

function firstLines(text: string, lines: number): string {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf('\n', end);
    if (next === -1) return text;
    end = next + 1;
  }
  return text.slice(0, end);
}

function betweenWords(text: string, most: number): number {
  if (text.length <= most) return text.length;
  const space = text.lastIndexOf(' ', most);
  return space > most / 2 ? space : most;
}

function withoutDot(title: string): string {
  return title.replace(/^\.\s*/, '');
}
