/** What is heard in a conversation: files that are named, memories that are cited, steps that the agent announces. Pure. */
import { isFileName, pathsIn } from '../shared/path-mentions.js';
import { analyze } from '../shared/text.js';
import { announces } from './gate/announcement.js';
import { FLAGS } from './gate/text.js';

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

const CODE = /```[\s\S]*?(?:```|$)/g;
const QUOTED = /^\s*>.*$/gm;

/** The sentences of an answer in which the agent says that it does something; '' where it says nothing of the kind. */
export function announcedIn(answer: string): string {
  const said = answer.slice(0, READ_CHARS).replace(CODE, '\n').replace(QUOTED, '');
  const sentences = said
    .split(/(?<=[.!?;])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s*\-–•\d.)]+/, '').trim());
  const announced = sentences.filter((each) => !FLAGS.question(each) && announces(each));
  return announced.join('\n').slice(0, KEPT_CHARS);
}

const THANKS =
  /\b(?:thanks?|thank you|thx|great|nice|cool|perfect|good (?:morning|evening|night)|hi|hello|hey|ok|okay|lol|haha)\b/gi;
const LEAST_WORDS = 2;

/** Whether a message says more than thanks and greetings. */
export function saysSomething(text: string): boolean {
  return analyze(text.replace(THANKS, ' ')).length >= LEAST_WORDS;
}
