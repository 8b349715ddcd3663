/**
 * Fields as the tool that was called names them: services say `offerId` where its schema has `offer_id`,
 * and a model can mend only what it was shown. Pure.
 */

import type { Tool } from '../../operations/index.js';
import type { Finding } from '../../shared/errors.js';
import { jsonSchemaOf } from './json-schema.js';

/** What stands in quotes was sent, and stays as it is. */
const WORDS = /"[^"]*"|[A-Za-z]\w*/g;
const UNKNOWN = 'unknown field';

interface FieldNames {
  /** A text about fields. */
  text(message: string): string;
  /** A field that the tool has in another place is told where. */
  findings(findings: readonly Finding[]): Finding[];
}

export function fieldNamesOf({
  advertised,
  input,
}: Pick<Tool, 'advertised' | 'input'>): FieldNames {
  const places = new Map<string, string>();
  collect(jsonSchemaOf(advertised ?? input, 'input'), [], places);

  function named(word: string): string {
    if (places.has(word)) return word;
    const snake = word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const camel = word.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
    return [snake, camel].find((other) => places.has(other)) ?? word;
  }
  const text = (message: string) => message.replace(WORDS, named);
  return {
    text,
    findings: (findings) =>
      findings.map(({ field, message }) => {
        const name = text(field);
        const place = places.get(name.split('.').at(-1) ?? '');
        const isMisplaced = message === UNKNOWN && place !== undefined && place !== name;
        return { field: name, message: isMisplaced ? `belongs in ${place}` : text(message) };
      }),
  };
}

/** Each name of the schema and where it stands first. */
function collect(schema: unknown, path: readonly string[], into: Map<string, string>): void {
  const { properties, items, anyOf = [] } = Object(schema);
  const within: [string, unknown][] = Object.entries(Object(properties));
  for (const [name] of within) {
    if (!into.has(name)) into.set(name, [...path, name].join('.'));
  }
  for (const [name, inner] of within) collect(inner, [...path, name], into);
  for (const inner of items === undefined ? anyOf : [items, ...anyOf]) collect(inner, path, into);
}
