/** STORE_WORK_MEMORY: keeps what the user says, as private as the place it is said in. */
import type { StoreResult } from '../../memory/index.js';
import { safe, safeQuoted } from '../../shared/safe-text.js';
import { askUser, example, type Outcome, refuse, succeed } from './action-frame.js';
import { memoryAction } from './memory-action.js';
import type { MemoryTurn } from './memory-turn.js';
import { type Note, readDraftText, readNote } from './memory-words.js';

export const STORE_WORK_MEMORY = 'STORE_WORK_MEMORY';

export const storeWorkMemoryAction = memoryAction({
  name: STORE_WORK_MEMORY,
  similes: ['REMEMBER_THIS', 'SAVE_WORK_MEMORY', 'NOTE_WORK_MEMORY', 'MEMORIZE'],
  description:
    'Stores a work memory: something the user wants remembered (what was done, why, how it ended, what was learned). Not for reminders at a time: those are triggers.',
  examples: [
    example(
      'remember that the login bug came from an expired refresh token #auth',
      'I will remember that: "the login bug came from an expired refresh token #auth" [mem_1f2e3d4c].',
      STORE_WORK_MEMORY,
    ),
  ],
  handle: storeWorkMemory,
});

async function storeWorkMemory(turn: MemoryTurn): Promise<Outcome> {
  const json = readDraftText(turn.text);
  if (json.kind === 'broken') {
    return refuse(`That is no valid JSON, so I stored nothing: ${safe(json.problem, 200)}.`, {
      code: 'INVALID_INPUT',
    });
  }
  const note = json.kind === 'prose' ? readNote(turn.text) : null;
  const draft = json.kind === 'object' ? json.object : note === null ? null : draftOf(note);
  if (draft === null) {
    return askUser('What shall I remember? Say it in one message: "remember that …".');
  }
  const stored = await turn.service.store(draft, turn.caller);
  return succeed(answerOf(stored), { memoryId: stored.memory_id, created: stored.created });
}

function draftOf(note: Note): Record<string, unknown> {
  return {
    intent: note.goal,
    ...(note.files.length === 0 ? {} : { perception: { relevant_files: note.files } }),
    outcome: {
      success: note.success,
      ...(note.learning === null ? {} : { learning: note.learning }),
      ...(note.failureReason === null ? {} : { failure_reason: note.failureReason }),
    },
    tags: note.tags,
    ...(note.shared ? { visibility: 'project' } : {}),
  };
}

function answerOf({ memory, memory_id, redacted, degraded }: StoreResult): string {
  const sentences = [
    `I will remember that: ${safeQuoted(memory.intent.goal, 120)} [${memory_id}].`,
  ];
  if (memory.visibility === 'project') sentences.push('Everyone in the project can find it.');
  const secrets = (redacted ?? []).reduce((sum, { count }) => sum + count, 0);
  if (secrets > 0) {
    sentences.push(
      `I left out ${secrets === 1 ? 'what looked like a secret' : `${secrets} things that looked like secrets`}.`,
    );
  }
  if (degraded !== undefined) sentences.push('For now it is found by its words only.');
  return sentences.join(' ');
}
