/** What a section says in sentences: a word of its code examples is not what it is about. */
import { analyze } from '../../shared/text.js';
import type { Section } from '../types.js';

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
/** Characters that are looked at; as many as the search reads. */
const MOST = 40_000;

/** Sections are immutable; most are never asked about. */
const known = new WeakMap<Section, ReadonlySet<string> | null>();

/** Whether a word that the section has stands in a fenced block alone. */
export function standsInCodeOnly(section: Section, term: string): boolean {
  let prose = known.get(section);
  if (prose === undefined) {
    prose = proseOf(section.content.slice(0, MOST));
    known.set(section, prose);
  }
  return prose !== null && !prose.has(term);
}

/** `null`: there is no code. */
function proseOf(content: string): ReadonlySet<string> | null {
  if (!content.includes('```') && !content.includes('~~~')) return null;
  const lines: string[] = [];
  let fence = '';
  for (const line of content.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === '' && mark === undefined) lines.push(line);
    else if (fence === '' && mark !== undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = '';
  }
  return new Set(analyze(lines.join('\n')));
}
