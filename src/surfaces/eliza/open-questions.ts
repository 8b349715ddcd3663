/** What is still open, in words, and how an action answers a message while questions are open. */
import { askUser, type Outcome, succeed } from './action-frame.js';
import { answerOf, refuses } from './confirm-words.js';
import { counted, countedMemories, plain, quoted } from './display.js';
import { type Asker, ask, forget, openQuestions, type Pending, takesYesOrNo } from './pending.js';

/** Of the open questions. */
const SAID_AGAIN = 3;

export const ZONE_QUESTION =
  'In which time zone is that? Name a city or a zone, for example "Berlin", "New York time" or "UTC"; I will remember it.';

/** A question with the words of the request that it belongs to. */
export function questionOf(pending: Pending): string {
  switch (pending.kind) {
    case 'confirm-create':
      return `Set up ${quoted(pending.instructions, 60)} ${pending.scheduleText}?`;
    case 'question':
      return about(pending.text, plain(pending.question, 200));
    case 'for-which':
      return `Which request is ${quoted(pending.said, 60)} for?`;
    case 'zone':
      return about(pending.text, ZONE_QUESTION);
    case 'which':
      return about(pending.text, `Which of ${pending.ids.length} triggers is meant?`);
    case 'confirm-reschedule':
      return `Change a trigger to ${pending.scheduleText}?`;
    case 'confirm-delete':
      return `Delete ${counted(pending.ids.length)}?`;
    case 'confirm-forget':
      return `Forget ${countedMemories(pending.ids.length)}?`;
    case 'hint':
      return about(pending.text, 'Which hint is meant?');
    case 'confirm-hint':
      return `Keep the hint ${quoted(pending.text, 60)}?`;
  }
}

function about(request: string, question: string): string {
  return `${quoted(request, 60)}: ${question}`;
}

/** Asks about a request that cannot be carried out yet, and names it where others wait, too. */
export async function askAbout(
  turn: Asker,
  pending: Extract<Pending, { kind: 'question' | 'zone' }>,
  question: string,
): Promise<Outcome> {
  const isOnly = (await openQuestions(turn)).length === 0;
  await ask(turn, { ...pending, text: pending.text.slice(0, 4_000) });
  return askUser(isOnly ? question : about(pending.text, question), { created: false });
}

/** What still waits for an answer, in one line; empty when nothing does. */
export function stillOpen(open: readonly Pending[]): string {
  const said = open.slice(0, SAID_AGAIN).map((one) => {
    const lead = takesYesOrNo(one) ? 'I still wait for your yes or no: ' : 'Still open, ';
    return lead + questionOf(one);
  });
  const more = open.length - said.length;
  return [...said, ...(more > 0 ? [`${more} more questions are open.`] : [])].join(' ');
}

/**
 * The answer to "Shall I forget …?", or to "Which one?" before it; `null`: the message is about something else.
 * @param take forgets what was shown; `null`: a yes is no answer
 * @param words of a yes with more words, which must not be carried out
 */
export async function answerToForget(
  turn: Asker & { text: string },
  pending: Pending,
  take: (() => Promise<Outcome>) | null,
  words: { count: string; or: string },
): Promise<Outcome | null> {
  const answer = answerOf(turn.text);
  if (answer === 'no') {
    await forget(turn, pending);
    return succeed('All right, I forgot nothing.', { forgotten: 0 });
  }
  if (take === null) return null;
  if (answer === 'yes') {
    const done = await take();
    // Only now: after a failure the yes can be said again.
    await forget(turn, pending);
    return done;
  }
  if (answer !== 'partly' && !refuses(turn.text)) return null;
  const { count, or } = words;
  return askUser(`I forgot nothing. Say yes to forget ${count}, or ${or}.`, { forgotten: 0 });
}

/**
 * Carries out a message. Whoever has answered one question, or made a trigger while others are open, is
 * told what is left.
 */
export async function inConversation<Turn extends Asker>(
  turn: Turn,
  { handle }: { handle: (turn: Turn) => Promise<Outcome> },
): Promise<Outcome> {
  const before = await openQuestions(turn);
  const outcome = await handle(turn);
  const left = await openQuestions(turn);
  const isNews = left.length < before.length || outcome.data?.created !== undefined;
  if (outcome.asked || left.length === 0 || !isNews) return outcome;
  return { ...outcome, text: `${outcome.text} ${stillOpen(left)}` };
}
