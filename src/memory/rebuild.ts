/**
 * Chapters and wisdom made anew from what is left of their sources, so that no word of a forgotten
 * memory stays behind.
 */
import type { Reader, RecordStore, RecordType, StoredRecord } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { extractChapter } from './chapter-extract.js';
import { chapterType, wisdomType, workMemoryType } from './records.js';
import type { ChapterData, WisdomData, WorkMemoryData } from './schema.js';
import { extractWisdom } from './wisdom-extract.js';

const ATTEMPTS = 5;
/** Members read in one statement. */
const LOADED = 200;
const EVERYBODY = { kind: 'operator' } as const;
const NOBODY: ReadonlySet<Uuid> = new Set();

/** The memories of several chapters, each once, as far as they are there. */
export async function membersOfAll(
  records: RecordStore,
  chapters: readonly { data: Pick<ChapterData, 'memory_ids'> }[],
  reader: Reader,
): Promise<StoredRecord<WorkMemoryData>[]> {
  const ids = [...new Set(chapters.flatMap(({ data }) => data.memory_ids))];
  const members: StoredRecord<WorkMemoryData>[] = [];
  for (let start = 0; start < ids.length; start += LOADED) {
    const part = ids.slice(start, start + LOADED);
    members.push(...(await records.get(workMemoryType, part, reader)));
    await yieldToLoop();
  }
  return members;
}

/**
 * Made again from the members that are there and not in `gone`; without any the chapter goes.
 * @returns `null` when there is none any more
 */
export function rebuildChapter(
  records: RecordStore,
  id: Uuid,
  gone: ReadonlySet<Uuid> = NOBODY,
): Promise<StoredRecord<ChapterData> | null> {
  return again(records, chapterType, id, async (data): Promise<ChapterData | null> => {
    const found = await membersOfAll(records, [{ data }], EVERYBODY);
    const members = found.filter((member) => !gone.has(member.id));
    if (members.length === 0) return null;
    const extract = extractChapter(members, data.titled ? data.title : undefined);
    const forgotten = data.counts.forgotten + data.memory_ids.length - members.length;
    return {
      ...extract,
      summary_by: 'extractive',
      agent_id: data.agent_id,
      counts: { ...data.counts, forgotten },
    };
  });
}

/**
 * The same for wisdom; without any chapter left it goes.
 * @returns `null` when there is none any more
 */
export function rebuildWisdom(
  records: RecordStore,
  id: Uuid,
  gone: ReadonlySet<Uuid> = NOBODY,
): Promise<StoredRecord<WisdomData> | null> {
  return again(records, wisdomType, id, async (data): Promise<WisdomData | null> => {
    const sources = await records.get(chapterType, data.chapter_ids, EVERYBODY);
    if (sources.length === 0) return null;
    const members = await membersOfAll(records, sources, EVERYBODY);
    const left = members.filter((member) => !gone.has(member.id));
    const extract = extractWisdom(sources, left, data.titled ? data.title : undefined);
    return { ...extract, summary_by: 'extractive', agent_id: data.agent_id };
  });
}

/** Replaces a record by what `make` says (`null`: removes it), again if somebody else was faster. */
async function again<Data>(
  records: RecordStore,
  type: RecordType<Data>,
  id: Uuid,
  make: (data: Data) => Promise<Data | null>,
): Promise<StoredRecord<Data> | null> {
  for (let attempt = 1; ; attempt += 1) {
    const [record] = await records.get(type, [id], EVERYBODY);
    if (!record) return null;
    const data = await make(record.data);
    try {
      if (data !== null) return await records.replace(type, id, record.revision, { data });
      await records.remove(type, [id]);
      return null;
    } catch (error) {
      const overtaken = error instanceof AppError && error.code === 'CONFLICT';
      if (!overtaken || attempt === ATTEMPTS) throw error;
    }
  }
}
