/**
 * The secret guard of hints (seed `nudge.md` §8, DESIGN §10): every text of a hint is judged by our
 * rules and, where those see nothing, by secretlint. It says which rule and where, never the secret.
 */
import { withoutUnseen } from '../shared/secrets.js';
import type { HintMeta, HintValue } from './schema.js';
import { isTellingName, judgeText, redactText, setAside, withoutStandIns } from './secrets.js';

export interface HintTexts {
  component?: string | undefined;
  key?: string | undefined;
  value: HintValue;
  meta?: HintMeta | undefined;
}

/** A secret by its rule (`github`, `hex`, `secretlint:GITHUB_TOKEN`) and place (`value.cmd`). */
export interface FoundSecret {
  rule: string;
  where: string;
}

export interface GuardVerdict {
  /** Whether the hint may be stored. */
  ok: boolean;
  /** Whether it is to be stored as a secret (`sensitivity: "secret"`): it was said so, or one was found. */
  secret: boolean;
  /** At most 20. */
  found: FoundSecret[];
}

export interface Guard {
  /**
   * @param hint names of component and key are looked at, too, and the key names the value
   * @param allowSecret what looks like a secret was meant to be stored
   */
  check(hint: HintTexts, allowSecret?: boolean): Promise<GuardVerdict>;
}

const MAX_FOUND = 20;
const MAX_STEP = 60;
/** Separates joined texts: no rule matches across a NUL. */
const GAP = '\n\0\n';

/**
 * @param deps.enabled `NUDGE_SECRET_GUARD`; when false nothing is refused, but what is found is still
 * marked, so that it is never printed or offered
 * @param deps.lint secretlint, or another detector beside our rules
 */
export function createGuard(deps: { enabled: boolean; lint?: () => Promise<Lint> }): Guard {
  const load = deps.lint ?? loadSecretlint;

  return {
    async check(hint, allowSecret = false) {
      const found = await secretsIn(piecesOf(hint), load);
      const isMarked = hint.meta?.sensitivity === 'secret';
      const secret = isMarked || found.length > 0;
      return { ok: found.length === 0 || isMarked || allowSecret || !deps.enabled, secret, found };
    },
  };
}

async function secretsIn(pieces: Piece[], load: () => Promise<Lint>): Promise<FoundSecret[]> {
  const suspects = new Map<Piece, string[]>();
  // Most hints have no secret: all texts are judged as one, and one by one only where that has some.
  const isSuspicious = judgeText(joined(pieces)).rules.length > 0;
  for (const piece of pieces) {
    if (suspects.size >= MAX_FOUND) break;
    const isTelling = piece.name !== undefined && isTellingName(piece.name);
    const { rules } = isSuspicious || isTelling ? judgeText(piece.text, piece.name) : { rules: [] };
    if (rules.length > 0) suspects.set(piece, rules);
  }
  const rest = pieces.filter((piece) => !suspects.has(piece));
  const lint = await load();
  // Our own rules recognise placeholders; secretlint does not.
  const text = withoutStandIns(setAside(joined(rest)).text);
  for (const { rule, start } of await lint(text)) {
    // Nothing that was removed contains a gap, so the number of gaps tells which text it was.
    const holder = rest[text.slice(0, start).split(GAP).length - 1];
    if (holder) suspects.set(holder, [`secretlint:${rule}`]);
  }
  return pieces
    .flatMap((piece) =>
      (suspects.get(piece) ?? []).map((rule) => ({ rule, where: whereOf(piece) })),
    )
    .slice(0, MAX_FOUND);
}

function joined(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => withoutUnseen(text).replaceAll('\0', ' ')).join(GAP);
}

/** `value.data.list[0].cmd`; a name that is a secret itself is not said. */
function whereOf({ path }: Piece): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      const shown = redactText(step).slice(0, MAX_STEP);
      return index === 0 ? shown : `.${shown}`;
    })
    .join('');
}

/** A text of a hint with where it stands: a value, a key of an object, one of the hint's own names. */
interface Piece {
  /** Steps to the text: `value`, `data`, `list`, 0. Steps are texts of the caller's, too. */
  path: readonly (string | number)[];
  text: string;
  /** Of the property, default or key that holds the text. */
  name?: string;
}

/** Longest path that is reported. */
const MAX_STEPS = 12;

function piecesOf({ component, key, value, meta }: HintTexts): Piece[] {
  const pieces: Piece[] = [];
  if (component !== undefined) pieces.push({ path: ['component'], text: component });
  if (key !== undefined) pieces.push({ path: ['key'], text: key });
  if (typeof value === 'string') pieces.push(piece(['value'], value, key));
  else if (value.type === 'json') collect(pieces, ['value', 'data'], value.data, key);
  else collect(pieces, ['value'], value, undefined);
  if (meta !== undefined) collect(pieces, ['meta'], meta, undefined);
  return pieces;
}

function piece(path: Piece['path'], text: string, name: string | undefined): Piece {
  return name === undefined ? { path, text } : { path, text, name };
}

/** Iterative, because the depth comes from the caller. Elements of a list have the name of the list. */
function collect(
  pieces: Piece[],
  path: readonly (string | number)[],
  data: unknown,
  name: string | undefined,
): void {
  const open: [path: readonly (string | number)[], data: unknown, name: string | undefined][] = [
    [path, data, name],
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, given, called] = next;
    if (typeof given === 'string') pieces.push(piece(at, given, called));
    else if (typeof given === 'number' && called !== undefined) {
      pieces.push(piece(at, String(given), called));
    } else if (Array.isArray(given)) {
      for (const [index, item] of given.entries()) open.push([step(at, index), item, called]);
    } else if (typeof given === 'object' && given !== null) {
      for (const [key, item] of Object.entries(given)) {
        pieces.push({ path: step(at, '(name)'), text: key });
        open.push([step(at, key), item, key]);
      }
    }
  }
}

function step(path: readonly (string | number)[], next: string | number) {
  return path.length >= MAX_STEPS ? path : [...path, next];
}

export interface LintedSecret {
  /** Name of the message: `GITHUB_TOKEN`. */
  rule: string;
  start: number;
}

/** What is found, in the order of the text. */
export type Lint = (text: string) => Promise<LintedSecret[]>;

/** What is used of a rule; its own types lie in a package that is not ours to import. */
interface Rule {
  create(context: object, options: object): { file?(source: object): void | Promise<void> };
}

interface Report {
  message: { messageId: string };
  range: readonly [start: number, end: number];
}

/** Comments that switch rules off are for source files: in a hint they would be a way around. */
const LEFT_OUT = /filter-comments$/;
/** Some rules look only into files of certain names; this is none of them. */
const FILE = 'hint.txt';
/** Numbers of accounts are no secrets. */
const ALLOWED = ['AWSAccountID'];

let loading: Promise<Lint> | undefined;

export function loadSecretlint(): Promise<Lint> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Lint> {
  const preset = await import('@secretlint/secretlint-rule-preset-recommend');
  const rules: Rule[] = preset.rules.filter(({ meta }) => !LEFT_OUT.test(meta.id));
  return (text) => run(rules, text);
}

async function run(rules: readonly Rule[], content: string): Promise<LintedSecret[]> {
  const found: Report[] = [];
  const context = {
    sharedOptions: {},
    // The text of the message is left empty: a rule would write the secret into it.
    createTranslator: () => (messageId: PropertyKey) => ({
      message: '',
      messageId: String(messageId),
      data: undefined,
    }),
    report: (report: Report) => found.push(report),
    ignore: () => {},
  };
  const source = {
    ...{ hasBOM: false, content, contentType: 'text', ext: '.txt' },
    ...{ filePath: FILE, physicalFilePath: undefined },
    getFilePath: () => FILE,
    getPhysicalFilePath: () => undefined,
  };
  for (const rule of rules) await rule.create(context, {}).file?.(source);
  return found
    .filter(({ message }) => !ALLOWED.includes(message.messageId))
    .sort((a, b) => a.range[0] - b.range[0] || a.range[1] - b.range[1])
    .map(({ message, range }) => ({ rule: message.messageId, start: range[0] }));
}
