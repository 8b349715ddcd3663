/**
 * What a message means for work: the files it names, what is wanted, what is about to be done. By the
 * grammar of English; a sentence of another language is taken as it is. Pure, linear in the length.
 */
import { isFileName } from '../../shared/file-names.js';
import { pathsIn } from '../../shared/path-mentions.js';
import { contentOf, themeOf } from './content.js';
import { saysWhat } from './directives.js';
import { partsOf } from './sentences.js';
import { type Statement, statementsOf } from './statements.js';

export interface MessageReading {
  /** Files named in the text and the names of attached ones, each once. */
  files: string[];
  /**
   * What could say what is wanted or wrong, a line for each of at most three, best first; at most 400
   * characters.
   */
  intent: string | null;
  /** What is to be done or proposed to be, or run; a line for each of at most three steps. */
  plan: string | null;
  /** The task that begins with this message, when one does. */
  task: string | null;
}
export interface MessageText {
  text: string;
  attachments?: readonly { title?: string | undefined; url?: string | undefined }[] | undefined;
}
export interface AgentReading {
  files: string[];
  /** What the agent says that it will change; a line for each of at most three steps. */
  plan: string | null;
  /** Memories it cites, as printed: `mem_1f2e3d4c`. */
  cited: string[];
}

const INTENT_CHARS = 400;
const PLAN_CHARS = 400;
const MAX_INTENTS = 3;
const MAX_PLANS = 3;
const MAX_FILES = 20;
/** Characters of an agent's answer that are searched for ids. */
const CITED_CHARS = 20_000;
const CITED = /\bmem_[0-9a-f][0-9a-f-]{7,35}(?![\w-])/gi;

/** What somebody says to the agent. */
export function readMessage(message: MessageText): MessageReading {
  const files = filesOf(message);
  const { sentences, commands } = partsOf(message.text);
  const said = inContext(sentences.flatMap(statementsOf));
  const wanted = said.filter(({ kind }) => WANTED.has(kind));
  const ranked = RANKS.flatMap((kinds) => said.filter(({ kind }) => kinds.has(kind)));
  const intent = lines(
    ranked.map(({ text }) => text),
    MAX_INTENTS,
    INTENT_CHARS,
  );
  const steps = wanted.filter(({ kind }) => PLANNED.has(kind)).map(({ text }) => text);
  // "Run this:" with a command below.
  const runs =
    sentences.length === 0 || (steps.length === 0 && said.some(({ kind }) => kind === 'bare'));
  if (runs) steps.push(...commands);
  const plan = lines(steps.flatMap(stepsOf), MAX_PLANS, PLAN_CHARS);
  const task = wanted[0]?.text ?? null;
  return { files, intent, plan, task };
}

type Kinds = ReadonlySet<Statement['kind']>;
/** What is to be worked on, in whatever words. */
const WANTED: Kinds = new Set(['change', 'investigate', 'wish', 'open', 'foreign']);
/** Of these, what does something: a proposal, too, since a warning is worth most before deciding. */
const PLANNED: Kinds = new Set(['change', 'wish', 'open', 'foreign']);
/** What says most of what a message is about comes first. */
const RANKS: readonly Kinds[] = [
  WANTED,
  new Set<Statement['kind']>(['how', 'problem']),
  new Set<Statement['kind']>(['past']),
  new Set<Statement['kind']>(['theme']),
];
/** Of a sentence that says what "it" is. */
const CONTEXT_CHARS = 200;

/** "The login times out. Can you fix it?": what is spoken of is taken along from the sentence before. */
function inContext(said: readonly Statement[]): Statement[] {
  const whole: Statement[] = [];
  for (const statement of said) {
    const before = whole.at(-1);
    const about =
      before === undefined ? '' : before.text.replace(WANTS_IT, '').slice(0, CONTEXT_CHARS);
    if (before === undefined || !statement.refers || !isContext(before) || about.includes('\n')) {
      whole.push(statement);
    } else if (statement.kind === 'bare') {
      whole.pop();
      const [verb = ''] = statement.text.split(/[\s,:]/, 1);
      whole.push({ ...statement, kind: 'change', text: `${verb}: ${about}` });
    } else if (
      WANTED.has(statement.kind) &&
      !WANTED.has(before.kind) &&
      contentOf(statement.text) <= LITTLE
    ) {
      whole.pop();
      whole.push({ ...statement, text: `${about}. ${statement.text}` });
    } else whole.push(statement);
  }
  return whole;
}

/** What says more than so many words does not need the sentence before it. */
const LITTLE = 4;

function isContext({ kind, text }: Statement): boolean {
  return CONTEXT.has(kind) && themeOf(text) > 0;
}

const CONTEXT: Kinds = new Set(['problem', 'wish', 'theme', 'past', 'nothing']);
const WANTS_IT =
  /^(?:[\w'-]+ ){1,4}?(?:(?:would|'d) like|(?<='d )like|wants?|needs?|asks?)(?: (?:us|me|you))?(?: to)? /i;

/** What the agent itself says: only what it announces is a plan, not what it tells others to do. */
export function readAgentWords(text: string): AgentReading {
  const steps: string[] = [];
  for (const sentence of partsOf(text).sentences) {
    if (/^(?:if|unless|would you|do you|should)\b/i.test(sentence.text) || sentence.question)
      continue;
    for (const { kind, text: step, own } of statementsOf(sentence)) {
      if (kind === 'change' && own) steps.push(step);
    }
  }
  const cited = text.slice(0, CITED_CHARS).match(CITED) ?? [];
  return {
    files: pathsIn(text),
    plan: lines(steps.flatMap(stepsOf), MAX_PLANS, PLAN_CHARS),
    cited: [...new Set(cited.map((id) => id.toLowerCase()))],
  };
}

/** The action that a text states, for happenings that are told as data; `null` when it states none. */
export function actionIn(text: string): string | null {
  return readMessage({ text }).plan;
}

/** Whether a text only wants something to be found out or shown. */
export function onlyLooks(text: string): boolean {
  const [first] = partsOf(text).sentences;
  if (first === undefined) return false;
  const kinds = statementsOf(first).map(({ kind }) => kind);
  return kinds.length > 0 && kinds.every((kind) => LOOKING.has(kind));
}

const LOOKING: Kinds = new Set(['investigate', 'look', 'past', 'how']);

/** "Add caching and then write tests" has two steps. */
function stepsOf(text: string): string[] {
  const steps = text.split(/,? and then |, then |; then |; /i).map((step) => step.trim());
  return steps.filter((step, index) => index === 0 || saysWhat(step));
}

/** Distinct lines within a size; what does not fit is cut behind a word. */
function lines(texts: readonly string[], most: number, chars: number): string | null {
  const distinct = [...new Set(texts.filter((text) => text !== ''))].slice(0, most);
  let room = chars;
  const kept: string[] = [];
  for (const text of distinct) {
    const line = text.length <= room ? text : text.slice(0, room).replace(/\s+\S*$/, '');
    if (kept.length > 0 && line.length < text.length) break;
    kept.push(line);
    room -= line.length + 1;
  }
  return kept.length === 0 ? null : kept.join('\n');
}

function filesOf({ text, attachments = [] }: MessageText): string[] {
  const attached = attachments.slice(0, MAX_FILES).flatMap(({ title, url }) => {
    const name = [title?.trim() ?? '', nameIn(url ?? '')].find((each) => isFileName(each, true));
    return name === undefined || /[\\/]/.test(name) ? [] : [name];
  });
  return [...new Set([...pathsIn(text), ...attached])].slice(0, MAX_FILES);
}

/** The last part of an address's path. */
function nameIn(url: string): string {
  if (url.startsWith('data:')) return '';
  const last = url.slice(0, 2_048).split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
