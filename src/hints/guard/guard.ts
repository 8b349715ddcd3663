/**
 * The secret guard of hints (seed `nudge.md` §8, DESIGN §10): every text of a hint is judged by our
 * rules and, where those see nothing, by secretlint. It says which rule and where, never the secret.
 */
import { isTellingName } from './forms.js';
import { setAside, withoutStandIns } from './harmless.js';
import { type HintTexts, type Piece, piecesOf } from './pieces.js';
import { type Lint, loadSecretlint } from './secretlint.js';
import { judgeText, redactText, shownOf } from './text.js';

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
/** Texts that are judged one by one; more are judged together first. */
const FEW = 3;
/** Between texts, so that no rule sees two of them as one: no rule has a NUL in it. */
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
  for (const piece of pieces) {
    if (piece.name !== undefined && isTellingName(piece.name)) judgeOne(piece, suspects);
  }
  judgeAll(pieces, suspects);
  const rest = pieces.filter((piece) => !suspects.has(piece));
  const lint = await load();
  // Our rules know stand-ins themselves.
  const text = withoutStandIns(setAside(joined(rest)).text);
  for (const { rule, start } of await lint(text)) {
    // Nothing that was taken out holds a gap, so gaps count the texts.
    const holder = rest[text.slice(0, start).split(GAP).length - 1];
    if (holder) suspects.set(holder, [`secretlint:${rule}`]);
  }
  return pieces
    .flatMap((piece) =>
      (suspects.get(piece) ?? []).map((rule) => ({ rule, where: whereOf(piece) })),
    )
    .slice(0, MAX_FOUND);
}

/** Halves what is suspicious: most hints have no secret, and a rule costs the same for many texts. */
function judgeAll(pieces: readonly Piece[], suspects: Map<Piece, string[]>): void {
  if (suspects.size >= MAX_FOUND || pieces.length === 0) return;
  if (pieces.length <= FEW) {
    for (const piece of pieces) judgeOne(piece, suspects);
    return;
  }
  if (judgeText(joined(pieces)).rules.length === 0) return;
  const half = Math.ceil(pieces.length / 2);
  judgeAll(pieces.slice(0, half), suspects);
  judgeAll(pieces.slice(half), suspects);
}

function judgeOne(piece: Piece, suspects: Map<Piece, string[]>): void {
  if (suspects.has(piece)) return;
  const { rules } = judgeText(piece.text, piece.name);
  if (rules.length > 0) suspects.set(piece, rules);
}

function joined(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => shownOf(text).replaceAll('\0', ' ')).join(GAP);
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
