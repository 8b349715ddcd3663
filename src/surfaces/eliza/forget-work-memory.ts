/**
 * FORGET_WORK_MEMORY: shows what would go and asks; a yes in the next message forgets exactly that.
 * Only what was made with the asker is the asker's to forget.
 */
import { safe } from '../../shared/safe-text.js';
import { askUser, type Outcome, succeed } from './action-frame.js';
import { answerOf, refuses, yesOrNo } from './confirm-words.js';
import { countedMemories } from './display.js';
import { type MemoryTurn, memoryAction } from './memory-turn.js';
import { type ForgetSubject, forgetSubject } from './memory-words.js';
import { ask, forget, type Pending, pendingOf } from './pending.js';

const FORGET_WORK_MEMORY = 'FORGET_WORK_MEMORY';

const SHOWN = 8;

export const forgetWorkMemoryAction = memoryAction({
  name: FORGET_WORK_MEMORY,
  similes: ['ERASE_WORK_MEMORY', 'DELETE_WORK_MEMORY', 'FORGET_ABOUT'],
  description:
    'Forgets work memories: what the user told about something, named memories (mem_…), or everything of the user. Shows what would go and asks first. Also the right action when the user answers yes or no to that question. Not for reminders: those are triggers.',
  examples: [
    [
      'forget what I told you about the login bug',
      'That forgets one memory for good:\n- ✓ the login bug came from an expired refresh token\nShall I? Say yes or no.',
      'yes',
      'Forgotten: one memory.',
    ],
  ],
  handle: forgetWorkMemory,
});

type Confirm = Extract<Pending, { kind: 'confirm-forget' }>;

async function forgetWorkMemory(turn: MemoryTurn): Promise<Outcome> {
  const pending = await pendingOf(turn, FORGET_WORK_MEMORY);
  if (pending?.kind === 'confirm-forget') {
    const answer = answerOf(turn.text);
    if (answer === 'yes') return forgetThese(turn, pending);
    if (answer === 'no') return keepAll(turn, pending);
    if (answer === 'partly' || refuses(turn.text)) return askPlainly(pending.ids.length);
  } else if (yesOrNo(turn.text) !== null) {
    return askUser('There is nothing that waits for a yes or no. What shall I forget?');
  }
  const subject = forgetSubject(turn.text);
  if (subject.kind === 'words' && subject.words === '') {
    return askUser('What shall I forget? Name a topic or an id.');
  }
  return askFirst(turn, subject);
}

async function askFirst(turn: MemoryTurn, subject: ForgetSubject): Promise<Outcome> {
  const would = await turn.service.forget({ ...selectionOf(subject), dry_run: true }, turn.caller);
  if (would.total === 0) {
    const text =
      would.kept > 0
        ? 'What I remember about that is not yours to forget: only what you told me yourself is.'
        : 'I have nothing of yours about that.';
    return succeed(text, { total: 0 });
  }
  await ask(turn, { kind: 'confirm-forget', ids: would.memory_ids });
  const shown = would.memories.slice(0, SHOWN);
  const count = would.memory_ids.length;
  const lines = [
    `That forgets ${countedMemories(count)} for good:`,
    ...shown.map((memory) => `- ${safe(memory.content, 160)}`),
  ];
  // Counted only: who else is here did not hear them.
  const elsewhere = Math.min(would.elsewhere, count - shown.length);
  const more = count - shown.length - elsewhere;
  if (more > 0) lines.push(`- and ${more} more`);
  if (elsewhere > 0) lines.push(`- ${countedMemories(elsewhere)} from outside this conversation`);
  if (would.total > count) lines.push(`(${would.total - count} more stay until you ask again.)`);
  lines.push('Shall I? Say yes or no.');
  return askUser(lines.join('\n'), { total: would.total, candidates: would.memory_ids });
}

function selectionOf(subject: ForgetSubject): Record<string, unknown> {
  switch (subject.kind) {
    case 'everything':
      return { all: true };
    case 'ids':
      return { memory_ids: subject.ids };
    case 'words':
      return /^[^\s]+\.[a-z][a-z0-9]{0,9}$/i.test(subject.words)
        ? { file: subject.words }
        : { query: subject.words };
  }
}

/** Some may have gone since we asked, which must not keep the others. */
async function forgetThese(turn: MemoryTurn, pending: Confirm): Promise<Outcome> {
  const gone = await turn.service.forget(
    { memory_ids: pending.ids, missing_ok: true },
    turn.caller,
  );
  // Only now: after a failure the yes can be said again.
  await forget(turn, pending);
  const text =
    gone.total === 0 ? 'They are gone already.' : `Forgotten: ${countedMemories(gone.total)}.`;
  return succeed(text, { forgotten: gone.total });
}

function askPlainly(count: number): Outcome {
  return askUser(
    `I forgot nothing. Say yes to forget ${countedMemories(count)}, or name what to forget, like "forget the login bug".`,
    { forgotten: 0 },
  );
}

async function keepAll(turn: MemoryTurn, pending: Confirm): Promise<Outcome> {
  await forget(turn, pending);
  return succeed('All right, I forgot nothing.', { forgotten: 0 });
}
