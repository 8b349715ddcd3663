/** What is searched: each entry with its section, and each section that no entry leads to. Pure. */
import type { DecisionFile, Library, LinkedEntry, Section } from '../types.js';

/** The texts of a document, each weighed on its own. */
export const FIELDS = ['trigger', 'header', 'description', 'path', 'head', 'body'] as const;
export type Field = (typeof FIELDS)[number];

export type Texts = Readonly<Record<Field, string>>;

export interface Document {
  section: Section;
  /** `null`: the section has none. */
  entry: LinkedEntry | null;
  texts: Texts;
}

/** Characters in which a section says what it is about; what follows is detail. */
const HEAD = 600;
/** Characters of a section that are searched; what a megabyte says late is not what it is about. */
const WHOLE = 40_000;

/** What a document has of its section. */
interface OfSection {
  header: string;
  path: string;
  head: string;
  /** What an entry stands for: all of it. */
  body: string;
  /** What stands below a section without an entry has documents of its own. */
  ownBody: string;
}

/** Kept per section, because files that did not change keep their section objects. */
const made = new WeakMap<Section, OfSection>();

/**
 * In the order that decides between equals: entries as they stand in the index, then sections as
 * they stand in their files. Structural sections only group others and are reached by `§`.
 */
export function documentsOf(library: Library): Document[] {
  for (const file of library.files) makeAll(file);
  const documents: Document[] = [];
  const led = new Set<Section>();
  for (const entry of library.entries) {
    if (entry.section === null) continue;
    led.add(entry.section);
    documents.push(documentOf(entry.section, entry));
  }
  for (const { sections } of library.files) {
    for (const section of sections) {
      if (!section.structural && !led.has(section)) {
        documents.push(documentOf(section, null));
      }
    }
  }
  return documents;
}

/** The texts that say in short what a document is about. */
export function labelOf({ trigger, header, description }: Texts): string {
  return [trigger, header, description].filter((text) => text !== '').join('\n');
}

function documentOf(section: Section, entry: LinkedEntry | null): Document {
  const { header, path, head, body, ownBody } = made.get(section) ?? make(section, undefined);
  return {
    section,
    entry,
    texts: {
      trigger: entry?.phrase ?? '',
      header,
      description: entry?.description ?? '',
      path,
      head,
      body: entry === null ? ownBody : body,
    },
  };
}

function makeAll({ sections }: DecisionFile): void {
  // All of a file's are made at once.
  if (sections[0] === undefined || made.has(sections[0])) return;
  for (const [at, section] of sections.entries()) make(section, sections[at + 1]);
}

/** @param next the section after it in its file */
function make(section: Section, next: Section | undefined): OfSection {
  const { content } = section;
  // The text up to the first heading below it, if there is one.
  const isAbove = next !== undefined && next.level > section.level;
  const own = isAbove ? firstLines(content, next.line - section.line - 1) : content;
  const cut = betweenWords(own, HEAD);
  const texts = {
    header: withoutDot(section.title),
    path: [section.file.replace(/\.\w+$/, ''), ...section.path.map(withoutDot)].join(' / '),
    head: own.slice(0, cut),
    body: content.slice(cut, WHOLE),
    ownBody: own.slice(cut, WHOLE),
  };
  made.set(section, texts);
  return texts;
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
