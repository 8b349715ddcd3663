/**
 * From features to what is proposed: a probability for each kind, few rules that hold whatever it
 * says, and the reasons in words. Weights are data (`npm run train -- gate`). Pure.
 */
import { vetoOf } from '../../embeddings/index.js';
import { isHarmless, readCommand } from './commands.js';
import { type Moment, type Seen, sameFile } from './features.js';
import { FLAGS, isDenied } from './text.js';
import {
  contributions,
  type Features,
  type GateWeights,
  type Head,
  logitOf,
  opens,
  probabilityOf,
} from './weights.js';

/** What a group of features says; several of one group are one reason. */
const TOLD: readonly (readonly [RegExp, (features: Features, seen: Seen) => string | null])[] = [
  [
    /^(?:B|W|F|G)_|^order|^(?:rank|margin|place)_B/,
    ({ B_goal = 0 }) =>
      B_goal > 0 ? `${Math.round(100 * B_goal)} % of its words, by rarity` : null,
  ],
  [
    /^(?:lex|mean|z)_|_(?:lex|mean|z)_/,
    ({ mean_max = 0 }) => `alike in meaning (${mean_max.toFixed(2)})`,
  ],
  [/^rank_|^margin_|^place_/, () => 'nearest of all memories'],
  [/^names_same/, () => 'the same names'],
  [/^numbers_same/, () => 'the same numbers'],
  [/^kin/, ({ kin = 0 }) => (kin > 0 ? `one of ${kin + 1} alike` : null)],
  [/^reason/, () => 'what went wrong is spoken of'],
  [/^m_tag/, ({ m_tag }) => (m_tag ? 'its tag is named' : null)],
  [/^m_type/, ({ m_type }) => (m_type ? 'the same kind of task' : null)],
  [/^kind_action|^kind_task/, () => 'it is about to be done'],
  [/^[ws]_(?:request|opens)/, () => 'it is asked for'],
];
const MOST = 3;

/** The strongest first; a file in common before all. */
function reasonsOf(
  head: Head,
  features: Features,
  moment: Moment,
  seen: Seen,
  failedOnFile: boolean,
): string[] {
  const file = moment.files.find((path) => seen.near.files.some((own) => sameFile(path, own)));
  const reasons = file === undefined ? [] : [`file ${file}`];
  if (failedOnFile) reasons.push('it failed there before');
  const { by: added } = contributions(head, features);
  const weighed = head.features
    .map(([name], at) => ({ name, by: added[at] as number }))
    .filter(({ by }) => by > 0)
    .sort((a, b) => b.by - a.by);
  const groups = new Set<number>();
  for (const { name } of weighed) {
    const group = TOLD.findIndex(([form]) => form.test(name));
    if (group < 0 || groups.has(group) || reasons.length >= MOST) continue;
    groups.add(group);
    const reason = TOLD[group]?.[1](features, seen) ?? null;
    if (reason !== null) reasons.push(reason);
  }
  return reasons;
}

export interface Proposal extends Seen {
  /** That it failed and is about to be done again; 0 for what did not fail. */
  warn: number;
  /** That it helps now. */
  offer: number;
  /** That the moment is one more of its kind. */
  pattern: number;
  /** A rule forbids it, and why. */
  veto?: string;
  /** In words, the strongest first. */
  reasons: () => string[];
}

const WONDERS = /^\W*(?:what|who|when|where|why|how|which)\b/i;

/** What stands behind the words that request it. */
const REQUESTED =
  /^\W*(?:(?:please|now|then|and|can|could|would|will|you|we|i|let['’]?s|let us|let me|['’]ll|need|want|going|to)\b[\s,]*)*(.*)$/is;
/** Files are opened and read all the time: that attempts nothing. */
const isLook = (verb: string): boolean =>
  /^(?:open|read|show|look|see|view|explain)(?:ing)?$/i.test(verb);

/** Whether the words of a moment say that something is done now, not asked, told, put off or denied. */
export function statesAction({ kind, text }: Moment): boolean {
  const command = readCommand(text);
  if (command !== null && isHarmless(command)) return false;
  return text.split(/(?<=[.!?;])\s+|\n+/).some((sentence) => {
    const asked = FLAGS.request(sentence);
    if ((FLAGS.question(sentence) || WONDERS.test(sentence)) && !asked) return false;
    if (kind === 'action_planned') return sentence.trim() !== '';
    const first = firstWord(sentence);
    // Of what the agent says, only announcements are heard.
    if (kind === 'agent') return first !== '' && !isLook(first);
    if (FLAGS.later(sentence) || FLAGS.negated(sentence)) return false;
    return !isLook(first) && (asked || opens(first) >= 0.5);
  });
}

/** In lower case, behind the words that request it; '' where there is none. */
function firstWord(sentence: string): string {
  const [first = ''] = REQUESTED.exec(sentence)?.[1]?.match(/\p{L}+/u) ?? [];
  return first.toLowerCase();
}

/**
 * Why nothing need be looked for at a moment: thanks and praise that ask for nothing, a file that is opened,
 * an action that only looks or is denied.
 */
export function idleReason(moment: Moment): string | undefined {
  if (statesAction(moment)) return undefined;
  const { kind, text, files } = moment;
  if (files.length > 0 && isLook(firstWord(text))) return 'a file is only looked at';
  if (kind === 'action_planned') return 'attempts nothing';
  const thanks = kind === 'message' && FLAGS.thanks(text) && !text.includes('?');
  return thanks ? 'nothing is asked for' : undefined;
}

export function decide(moment: Moment, seen: readonly Seen[], weights: GateWeights): Proposal[] {
  const acts = statesAction(moment);
  const onlyLooks = !acts && isLook(firstWord(moment.text));
  return seen.map((each) => {
    const { near, features, part } = each;
    const same = [near.goal, ...near.commands].some((own) => plain(part) === plain(own));
    const again = same || isAgain(features) ? CERTAINTY : 0;
    const head = near.success ? weights.heads.offer : weights.heads.warn;
    const offer = Math.max(again, probabilityOf(logitOf(head, features)));
    const warn = near.success || onlyLooks ? 0 : offer;
    const onFile =
      acts &&
      !near.success &&
      moment.files.some((path) => near.files.some((own) => sameFile(path, own)));
    const pattern = probabilityOf(logitOf(weights.heads.pattern, features));
    const proposal = { ...each, warn: onFile ? Math.max(warn, SURE) : warn, offer, pattern };
    // Most of the pool is far away, and to compare it further would take a third of the time.
    if (Math.max(proposal.warn, offer, pattern) < UNLIKELY) {
      return { ...proposal, reasons: () => [], veto: 'hardly alike' };
    }
    const veto = vetoIn(part, near.goal);
    // Of all that are looked at, few are told.
    const reasons = () => reasonsOf(head, features, moment, each, onFile);
    return veto === undefined ? { ...proposal, reasons } : { ...proposal, reasons, veto };
  });
}

/** Below it nothing is offered, whatever the settings say. */
const UNLIKELY = 0.02;

/** A failed memory, the same file and a stated action: a warning, whatever the words. */
export const SURE = 0.7;
const plain = (text: string) =>
  text
    .trim()
    .replace(/[.!\s]+$/, '')
    .toLowerCase();

/** The same words, and no other that tells. */
const CERTAINTY = 1;
const isAgain = ({ B_goal = 0, B_said = 0, s_question = 0, s_past = 0 }: Features) =>
  B_goal > 0.98 && B_said > 0.98 && s_question === 0 && s_past === 0;

const CERTAIN = /^(?:opposite|one of them says not|different things)/;
const VERSION = /\bv?\d+(?:\.\d+)+\b/g;

/** Only what is certain: the opposite is meant, it is denied, or another version is. */
function vetoIn(said: string, goal: string): string | undefined {
  if (isDenied(said) && !isDenied(goal)) return 'it is denied';
  const found = vetoOf(said, goal);
  if (found.vetoed && CERTAIN.test(found.reason)) return found.reason;
  const versions = said.match(VERSION) ?? [];
  const others = goal.match(VERSION) ?? [];
  if (versions.length === 0 || others.length === 0) return undefined;
  const bare = (version: string) => version.replace(/^v/, '');
  const known = new Set(others.map(bare));
  if (versions.some((version) => known.has(bare(version)))) return undefined;
  return `another version: ${versions.join(', ')} / ${others.join(', ')}`;
}
