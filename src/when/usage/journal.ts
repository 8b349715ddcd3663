/**
 * The journal on disk: append-only lines, shared by processes that know nothing of each other. Each
 * append is one write of at most 4 KB to a file opened with O_APPEND, so lines never mix.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MINUTE_MS } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { yieldToLoop } from '../../shared/yield.js';
import { parseEvents, printEvent, type UsageEvent } from './events.js';

/** In the data directory. */
export const USAGE_FILE = 'when-usage.jsonl';

const MAX_WRITE_BYTES = 4_096;
/** Some ten thousand events; twice of it is read for the statistics. */
const ROTATE_BYTES = 1_000_000;
const LINE_FEED = 10;
/** The repository that the data directory may lie in shall not see the journal. */
const IGNORE = 'when-usage*';
const MAX_IGNORE_BYTES = 100_000;
/** Lines between two turns of the event loop: some milliseconds. */
const STEP = 1_000;

export interface UsageJournal {
  /**
   * Appends the events; makes the directory when it is missing.
   * @throws AppError UNAVAILABLE where the path is no regular file, or the file system's error
   */
  append(events: readonly UsageEvent[]): void;
  /**
   * Everything kept, oldest first, and how many lines could not be read. No file: no events. Lets the
   * event loop turn meanwhile. @throws what `append` throws
   */
  read(): Promise<{ events: UsageEvent[]; damaged: number }>;
}

/**
 * @param path of the journal; past `rotateBytes` it becomes `<path>.old`, the one before goes
 */
export function createUsageJournal(options: { path: string; rotateBytes?: number }): UsageJournal {
  const { path, rotateBytes = ROTATE_BYTES } = options;
  const old = `${path}.old`;
  return {
    append(events) {
      const newest = events.at(-1);
      if (newest === undefined) return;
      const size = sizeOf(path);
      if (size === 0) prepareFolder(dirname(path));
      if (size >= rotateBytes) rotate(path, old, rotateBytes, newest.at);
      appendLines(path, events.map(printEvent));
    },
    async read() {
      const events: UsageEvent[] = [];
      let damaged = 0;
      for (const text of [await readText(old), await readText(path)]) {
        for (const part of partsOf(text)) {
          const parsed = parseEvents(part);
          for (const event of parsed.events) events.push(event);
          damaged += parsed.damaged;
          await yieldToLoop();
        }
      }
      return { events, damaged };
    },
  };
}

/** Before the journal is begun: whoever takes the line out later is not contradicted. */
function prepareFolder(folder: string): void {
  const isNew = mkdirSync(folder, { recursive: true }) !== undefined;
  if (!isNew && !isInRepository(folder)) return;
  try {
    ignoreJournal(join(folder, '.gitignore'));
  } catch {
    // It may not be written; the journal does not need it.
  }
}

function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (dirname(at) === at) return false;
  }
}

/** Adds what is missing: the folder may have been there with a file of its own. */
function ignoreJournal(path: string): void {
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_APPEND | O_CREAT | O_RDWR | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MAX_IGNORE_BYTES) return;
    const text = readFileSync(file, 'utf8');
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    if (lines.includes(IGNORE) || lines.includes('*')) return;
    writeSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${IGNORE}\n`);
  } finally {
    closeSync(file);
  }
}

function* partsOf(text: string): Generator<string> {
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += STEP) yield lines.slice(at, at + STEP).join('\n');
}

function appendLines(path: string, lines: readonly string[]): void {
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
  // A repository may bring a link of this name that leads to a file of the user's.
  const file = openSync(path, O_APPEND | O_CREAT | O_RDWR | (O_NOFOLLOW ?? 0), 0o600);
  try {
    let pending = endsInsideLine(file) ? '\n' : '';
    for (const line of lines) {
      if (Buffer.byteLength(pending) + Buffer.byteLength(line) > MAX_WRITE_BYTES) {
        writeSync(file, pending);
        pending = '';
      }
      pending += line;
    }
    writeSync(file, pending);
  } finally {
    closeSync(file);
  }
}

/** A process that was killed while writing left half a line; ours must not become its end. */
function endsInsideLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] !== LINE_FEED;
}

/** Only one process renames, and only what is still too large: another may have been faster. */
function rotate(path: string, old: string, rotateBytes: number, nowMs: number): void {
  const turn = `${path}.rotating`;
  try {
    mkdirSync(turn);
  } catch {
    // Somebody is just doing it, or died while doing it: the next append after a minute goes on.
    if (nowMs - (lstatSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > MINUTE_MS) {
      rmdirSync(turn);
    }
    return;
  }
  try {
    if (sizeOf(path) >= rotateBytes) renameSync(path, old);
  } finally {
    rmdirSync(turn);
  }
}

async function readText(path: string): Promise<string> {
  return sizeOf(path) === 0 ? '' : readFile(path, 'utf8');
}

/** 0 where there is nothing. A link, a pipe or a device is refused: reading one could hang. */
function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (stats.isFile()) return stats.size;
  throw new AppError('UNAVAILABLE', `${path} is not a regular file`);
}
