/** What is heard in a conversation: files that are named, memories that are cited, steps that the agent announces. Pure. */
import { isFileName, pathsIn } from '../shared/path-mentions.js';
import { analyze } from '../shared/text.js';
import { firstWord, isLook, statesAction } from './gate/decide.js';
import { FLAGS } from './gate/text.js';
import { opens } from './gate/weights.js';

interface MessageText {
  text: string;
  /** Addresses. */
  attachments?: readonly string[] | undefined;
}

const MAX_FILES = 20;
/** Characters of an agent's answer that are searched for ids. */
const CITED_CHARS = 20_000;
const CITED = /\bmem_[0-9a-f][0-9a-f-]{7,35}(?![\w-])/gi;
/** Characters of an agent's answer that are read for what it announces, and of what is kept of them. */
const READ_CHARS = 8_192;
const KEPT_CHARS = 400;

/** Named in the text, and the names of attached ones, each once. */
export function filesHeard({ text, attachments = [] }: MessageText): string[] {
  const attached = attachments
    .slice(0, MAX_FILES)
    .map(nameIn)
    .filter((name) => isFileName(name, true) && !/[\\/]/.test(name));
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

/** Memories that an answer cites, as printed: `mem_1f2e3d4c`. */
export function citedIn(text: string): string[] {
  const cited = text.slice(0, CITED_CHARS).match(CITED) ?? [];
  return [...new Set(cited.map((id) => id.toLowerCase()))];
}

/** "I'll", "let me": the agent speaks of what it will do itself. */
const OWN =
  /\b(?:i|we)(?:['’](?:ll|d)| will| shall| need to| have to| want to| should| plan to)\b|\b(?:i|we)(?:['’](?:m|re)| am| are) (?:about|going) to\b|\blet(?:['’]?s| me| us)\b/i;
/** "Adding caching", "I'm adding caching". */
const DOING = /(?:^|\b(?:i|we)(?:['’](?:m|re)| am| are) (?:now )?)(\p{L}{2,})ing\b/iu;
const CODE = /```[\s\S]*?(?:```|$)/g;
const QUOTED = /^\s*>.*$/gm;

/** The sentences of an answer in which the agent says that it does something; '' where it says nothing of the kind. */
export function announcedIn(answer: string): string {
  const said = answer.slice(0, READ_CHARS).replace(CODE, '\n').replace(QUOTED, '');
  const sentences = said
    .split(/(?<=[.!?;])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s*\-–•\d.)]+/, '').trim());
  return sentences.filter(announces).join('\n').slice(0, KEPT_CHARS);
}

function announces(sentence: string): boolean {
  const own = OWN.exec(sentence);
  const verb = own === null ? '' : firstWord(sentence.slice(own.index + own[0].length));
  // "Licences are dear, so I'd create one": what stands before tells nothing of it.
  if (opens(verb) >= OPENS && !FLAGS.question(sentence) && !FLAGS.later(sentence)) {
    return !isLook(verb);
  }
  const [, stem] = DOING.exec(sentence) ?? [];
  const isDoing =
    stem !== undefined &&
    [stem, `${stem}e`, stem.slice(0, -1)].some((verb) => opens(verb.toLowerCase()) >= OPENS);
  if (!isDoing && !OWN.test(sentence)) return false;
  const text = isDoing ? `I will: ${sentence}` : sentence;
  return statesAction({ kind: 'agent', text, files: [] });
}

/** How likely goals have to begin with a verb. */
const OPENS = 0.5;

const THANKS =
  /\b(?:thanks?|thank you|thx|great|nice|cool|perfect|good (?:morning|evening|night)|hi|hello|hey|ok|okay|lol|haha)\b/gi;
const LEAST_WORDS = 2;

/** Whether a message says more than thanks and greetings. */
export function saysSomething(text: string): boolean {
  return analyze(text.replace(THANKS, ' ')).length >= LEAST_WORDS;
}
