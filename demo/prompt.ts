/**
 * What the offline model reads in a prompt of the host: who said what, and what the plugin's providers
 * added. Prompts quote strangers (files, older messages), whose words may look like the host's own
 * headings, so each part is looked for where the host puts it. Pure.
 */
import type { ChatTurn } from './intent.js';

const CONVERSATION = '# Conversation Messages\n';
const RECEIVED = '\n# Received Message\n';
/** Behind the message; the host names whose it is. */
const FOCUS =
  /\n# Focus your response(?:\nYou are replying to the above message from \*\*(?<sender>.+)\*\*\. Keep your answer relevant)?/g;
/** A line of the plugin's provider (src/surfaces/eliza/triggers-provider.ts). */
const OPEN_QUESTION =
  /^The user has an open question from you\. .*(?:The answer|A yes or no) goes to (?<action>[A-Z_]+)\.$/m;
const ACTIONS = /^Possible response actions: (?<names>.+)$/m;
const FENCED = /^(`{3,})text\n[\s\S]*?\n\1$/gm;
/** Lines of the host: `10:31 (just now) [entity id] Name: text`, then `(Name's actions: A, B)`. */
const SPOKEN = /^\d\d:\d\d \([^)]*\) \[[0-9a-f-]{36}\] (?<name>[^:]+): (?<text>.*)$/;
/** Blocks that name entries of the index (src/surfaces/eliza: when-text.ts, offers-provider.ts). */
const KNOWN = [
  {
    head: '# Knowledge that may bear on this (Cue)\n',
    line: /^- (?<command>\/(?:when|how) .+?) {2}# (?<header>[^:]+): /gm,
  },
  {
    head: '# From your own work memory (Cue)\n',
    line: /^\s*• (?<command>\/(?:when|how) .+?) \((?<header>[^:()]+): /gm,
  },
];
const BLOCK = /^(`{3,})text\n(?<text>[\s\S]*?)\n\1$/m;
/** More of either than any prompt has by chance. */
const MOST_TRIED = 50;

/** A line of the `/when` index. */
export interface KnownEntry {
  command: string;
  header: string;
}

/** The message to answer and what the agent said before it, from the text of the prompt. */
export function readTurn(prompt: string, agentName: string): ChatTurn {
  const received = receivedIn(prompt);
  const lead = leadOf(prompt);
  const conversation = prompt.slice(lead.length, received.start);
  const lastAnswer = lastAnswerIn(conversation, agentName);
  const own = lead.replace(FENCED, '');
  const openQuestion = OPEN_QUESTION.exec(own)?.groups?.action;
  const actions = ACTIONS.exec(own)
    ?.groups?.names?.split(',')
    .map((name) => name.trim());
  return {
    text: received.text,
    ...(lastAnswer === undefined ? {} : { lastAnswer }),
    ...(openQuestion === undefined ? {} : { openQuestion }),
    ...(actions?.includes('RECALL_WHEN') ? { hasIndex: true } : {}),
  };
}

/** Entries of the index that the plugin offers for this message, each once. */
export function knownIn(prompt: string): KnownEntry[] {
  const lead = leadOf(prompt);
  const found = KNOWN.flatMap(({ head, line }) => {
    const at = lead.lastIndexOf(head);
    const text = at === -1 ? '' : (BLOCK.exec(lead.slice(at))?.groups?.text ?? '');
    return [...text.matchAll(line)].flatMap(({ groups }) =>
      groups?.command === undefined || groups.header === undefined
        ? []
        : [[groups.command, groups.header] as const],
    );
  });
  return [...new Map(found)].map(([command, header]) => ({ command, header }));
}

/** What the providers before the conversation added. */
function leadOf(prompt: string): string {
  const ends = [CONVERSATION, RECEIVED].map((head) => prompt.indexOf(head));
  return prompt.slice(
    0,
    ends.find((end) => end !== -1),
  );
}

interface Received {
  text: string;
  /** Where its heading stands. */
  start: number;
}

/**
 * Of all that could be the heading and the end of the received message, the pair whose text is a
 * message of the conversation, too; the last one where the host shows none (it was not stored).
 */
function receivedIn(prompt: string): Received {
  const ends = [...prompt.matchAll(FOCUS)].slice(-MOST_TRIED).reverse();
  const heads = positionsOf(prompt, RECEIVED).slice(-MOST_TRIED);
  for (const { index: end, groups } of ends) {
    for (const start of heads) {
      const found = readBetween(prompt, start, end);
      const isFromSender = found.sender === groups?.sender;
      const line = `] ${found.sender}: ${found.text}`;
      const said = start >= end || !isFromSender ? -1 : prompt.lastIndexOf(line, start);
      if (said !== -1 && /^[\s(]/.test(prompt.slice(said + line.length))) {
        return { text: found.text, start };
      }
    }
  }
  const start = heads.at(-1);
  if (start === undefined) return { text: '', start: prompt.length };
  const end = ends.findLast(({ index }) => index > start)?.index ?? prompt.length;
  return { text: readBetween(prompt, start, end).text, start };
}

function readBetween(prompt: string, start: number, end: number): { sender: string; text: string } {
  const said = prompt.slice(start + RECEIVED.length, end);
  const colon = said.indexOf(': ');
  return { sender: said.slice(0, Math.max(0, colon)), text: said.slice(colon + 2).trim() };
}

/** Of `what`, which begins with a line break, also at the very beginning. */
function positionsOf(text: string, what: string): number[] {
  const found: number[] = text.startsWith(what.slice(1)) ? [-1] : [];
  for (let at = text.indexOf(what); at !== -1; at = text.indexOf(what, at + 1)) found.push(at);
  return found;
}

function lastAnswerIn(
  conversation: string,
  agentName: string,
): { text: string; action?: string } | undefined {
  let last: { text: string; action?: string } | undefined;
  let speaking = false;
  for (const line of conversation.split('\n')) {
    const spoken = SPOKEN.exec(line)?.groups;
    if (spoken) {
      speaking = spoken.name === agentName;
      if (speaking) last = { text: spoken.text ?? '' };
      continue;
    }
    if (!speaking || last === undefined) continue;
    const actions = /^\s*\(.*'s actions: (?<names>.*)\)$/.exec(line)?.groups?.names;
    if (actions !== undefined) last.action = actions;
    else if (!/^\(.*'s internal thought: /.test(line)) last.text += `\n${line}`;
  }
  return last;
}
