/** Decision files: what is known, in sections. */
import { createHash } from 'node:crypto';
import { outlineOf } from './markdown/headings.js';
import type { DecisionFile, Section } from './types.js';

/**
 * A decision file from its text. A heading of level 1 is its title and no section; one whose text
 * begins with a dot groups others. Never throws. `path`: below the decisions folder, POSIX.
 */
export function parseDecisionFile(path: string, text: string): DecisionFile {
  const sections: Section[] = [];
  const above: { level: number; title: string }[] = [];
  const seen = new Map<string, number>();
  for (const heading of outlineOf(text).headings) {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    if (heading.level < 2) continue;
    const parents = above.map((one) => one.title);
    above.push(heading);
    const key = [...parents, heading.title].join('\n');
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    sections.push({
      file: path,
      title: heading.title,
      level: heading.level,
      // As written: `.env` in backticks is a file and groups nothing.
      structural: heading.raw.startsWith('.'),
      path: parents,
      ordinal,
      line: heading.line,
      content: text.slice(heading.bodyStart, heading.end),
    });
  }
  return { path, text, hash: hashOf(text), sections };
}

/** SHA-256 of a text in UTF-8, hex: what tells one version of a file from another. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
