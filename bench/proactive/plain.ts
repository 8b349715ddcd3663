/** The host's own way on the same database: no service of ours, the same questions and messages. */
import { embedLexical } from '../../src/embeddings/index.js';
import { workMemoryType } from '../../src/memory/index.js';
import { homeOf } from '../../src/records/index.js';
import { bootPlain } from '../agent.js';
import { delay, series } from '../clockwork.js';
import { happeningsOf } from './happenings.js';
import type { PartReport, PartRequest } from './protocol.js';
import { openChats, wholeTurns } from './turns.js';

const SHOWN = 3;

export async function plainHost({ size, quick, directory }: PartRequest): Promise<PartReport> {
  const agent = await bootPlain(directory);
  const { runtime } = agent;
  const happenings = happeningsOf(size);
  const tableName = workMemoryType.name;
  const { roomId } = homeOf(runtime);
  const few = { times: quick ? 3 : 20, forMs: 30_000, warmUp: 1 };

  /** The host has no index of files: all memories are read, and looked through. */
  const scanned = async (path: string, wanted: (data: StoredData) => boolean) => {
    const all = await runtime.getMemories({ tableName, roomId, count: size + 1_000 });
    if (all.length < size) throw new Error(`the host found ${all.length} of ${size} memories`);
    return all
      .filter(({ metadata }) => {
        const data = dataOf(metadata);
        return (data.files?.some((file) => file.endsWith(path)) ?? false) && wanted(data);
      })
      .slice(0, SHOWN);
  };
  const file = await series((index) => scanned(happenings.file(index), () => true), few);
  const conflict = await series(
    (index) =>
      scanned(happenings.action(index).filePath, ({ outcome }) => outcome?.success === false),
    few,
  );
  const intent = await series(
    async (index) => {
      const found = await runtime.searchMemories({
        tableName,
        embedding: [...embedLexical(happenings.intent(index))],
        count: SHOWN,
        unique: false,
      });
      if (found.length === 0) throw new Error('the host found nothing');
    },
    { times: quick ? 10 : 60, forMs: 30_000, warmUp: 3 },
  );
  const chats = openChats(runtime, happenings);
  const whole = await wholeTurns(chats, { quick, settled: async () => {} });
  await delay(50);
  await agent.stop();
  return {
    samples: {
      'detect.file': file,
      'detect.conflict': conflict,
      'detect.intent': intent,
      'turn.whole': whole,
    },
    notes: {},
  };
}

interface StoredData {
  files?: string[];
  outcome?: { success?: boolean };
}

function dataOf(metadata: unknown): StoredData {
  const data: unknown =
    typeof metadata === 'object' && metadata !== null && 'data' in metadata ? metadata.data : null;
  return typeof data === 'object' && data !== null ? (data as StoredData) : {};
}
