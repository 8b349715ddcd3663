/**
 * Hints for people, in the manner of the seed's transcript (`nudge.md`, appendix B). What is secret is
 * taken out here, and a text of several lines cannot pass for lines of ours: it stands indented.
 */
import {
  type Hint,
  type MatchExplain,
  type OtherHint,
  printedValue,
  redactHint,
  redactText,
} from '../../../hints/offline.js';
import { MINUTE_MS } from '../../../shared/clock.js';

const DEFAULT_PRIORITY = 5;
const INDENT = '  ';

interface Name {
  component: string;
  key: string;
}

/** As one line of ours may hold it. */
export function oneLine(text: string): string {
  return redactText(text).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

export const hintName = ({ component, key }: Name): string =>
  `${oneLine(component)}/${oneLine(key)}`;

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? line : INDENT + line));
}

/** What of a hint its score is made of, before it is used: `score base: priority=7 tags=build`. */
export function scoreBase({ meta }: Hint): string {
  const { priority = DEFAULT_PRIORITY, confidence, tags = [], ttl, scope = {}, sensitivity } = meta;
  const scoped = Object.keys(scope);
  const parts = [
    `priority=${priority}`,
    ...(confidence === undefined ? [] : [`confidence=${confidence}`]),
    ...(tags.length === 0 ? [] : [`tags=${tags.join(',')}`]),
    ...(ttl === undefined ? [] : [`ttl=${ttl}`]),
    ...(scoped.length === 0 ? [] : [`scope=${scoped.join(',')}`]),
    ...(sensitivity === 'secret' ? ['sensitivity=secret'] : []),
  ];
  return oneLine(`score base: ${parts.join(' ')}`);
}

/** `value: …`, and what else belongs to a value that is more than a text. */
export function valueLines(hint: Hint, key: string): string[] {
  const { value } = redactHint(hint, key);
  const lines = [...labelled('value', printedValue(value))];
  if (typeof value === 'string') return lines;
  switch (value.type) {
    case 'command':
      return value.shell === undefined ? lines : [...lines, `shell: ${value.shell}`];
    case 'path':
      return value.os === undefined ? lines : [...lines, `os: ${value.os.join(', ')}`];
    case 'template': {
      const defaults = Object.entries(value.defaults ?? {}).map((pair) => oneLine(pair.join('=')));
      const more = defaults.length === 0 ? [] : ['defaults:', ...indented(defaults)];
      return [...lines, `format: ${value.format}`, ...more];
    }
    case 'json':
      return lines;
  }
}

/** The value's first line, where there is place for one. */
export function valueInLine(hint: Hint, key: string): string {
  const [first = '', ...rest] = linesOf(printedValue(redactHint(hint, key).value));
  return rest.length === 0 ? first : `${first} …`;
}

export function matchLines({ score, reasons }: MatchExplain): string[] {
  return [
    'match:',
    ...(score === undefined ? [] : [`  score: ${score.toFixed(2)}`]),
    '  reasons:',
    ...reasons.map((reason) => `    - ${oneLine(reason)}`),
  ];
}

/**
 * With `explain`: what there is besides, and why not here.
 * @param isNamed whether they are of several keys
 */
export function otherLines(others: readonly OtherHint[], isNamed = false): string[] {
  if (others.length === 0) return [];
  const each = others.flatMap((other) => [
    `- ${isNamed ? `${hintName(other)}: ` : ''}${valueInLine(other.hint, other.key)}`,
    ...other.match_explain.reasons.map((reason) => `  - ${oneLine(reason)}`),
  ]);
  return ['not eligible here:', ...indented(each)];
}

export function useLine({ use_count = 0, last_used_at }: Hint, nowMs: number): string {
  const isNow =
    last_used_at !== undefined && Math.abs(nowMs - Date.parse(last_used_at)) < MINUTE_MS;
  return `↑ bumped frecency: use_count=${use_count} last_used_at=${isNow ? 'now' : (last_used_at ?? 'never')}`;
}

function labelled(label: string, text: string): string[] {
  const [first = '', ...rest] = linesOf(text);
  return rest.length === 0
    ? [`${label}: ${first}`]
    : [`${label}: |`, ...indented([first, ...rest])];
}

const linesOf = (text: string): string[] => text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
