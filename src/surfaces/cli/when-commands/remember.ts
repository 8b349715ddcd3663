/** `cue when remember` */
import { resolve } from 'node:path';
import { type Finding, InvalidInputError } from '../../../shared/errors.js';
import { badInput, EXIT, type ExitCode } from '../exit-codes.js';
import { type Io, printJson, printText } from '../io.js';
import { readTextFile } from '../read-file.js';
import type { WhenFlags } from './paths.js';
import { shownPath, whenPathsOf } from './paths.js';
import { type RememberDraft, type WhenRoom, whenRoom } from './room.js';

export interface RememberFlags {
  trigger?: string;
  header?: string;
  description?: string;
  file?: string;
  content?: string;
  contentFile?: string;
  under?: string;
  how?: true;
}

const STANDARD_INPUT = '-';

/** @param line the entry as it stands in an index; options say the same and more */
export async function rememberCommand(
  line: string | undefined,
  io: Io,
  flags: WhenFlags & RememberFlags,
): Promise<ExitCode> {
  const paths = whenPathsOf(flags, io);
  const room = await whenRoom();
  const draft = await draftOf(line, room, io, flags);
  const book = await room.openOfflineIndex({ paths });
  const remembered = await book.remember(draft);
  if (flags.json) {
    printJson(io, remembered);
    return EXIT.done;
  }
  const { entry, file, header, sectionAdded, changed } = remembered;
  const place = `${shownPath(paths.index, io.cwd)}:${remembered.line}`;
  printText(io, `${place}: ${entry}`);
  if (!changed) io.err('it was there already\n');
  else if (sectionAdded) io.err(`section "${header}" added to ${file}\n`);
  return EXIT.done;
}

async function draftOf(
  line: string | undefined,
  room: WhenRoom,
  io: Io,
  flags: RememberFlags,
): Promise<RememberDraft> {
  const written = line === undefined ? undefined : entryOf(line, room);
  const { how, file, under } = flags;
  const trigger = flags.trigger ?? written?.phrase;
  const header = flags.header ?? written?.header;
  const description = flags.description ?? written?.description;
  if (trigger === undefined || header === undefined || description === undefined) {
    const named = Object.entries({ trigger, header, description });
    const missing = named.flatMap(([field, value]): Finding[] =>
      value === undefined ? [{ field, message: `is missing: --${field}` }] : [],
    );
    throw new InvalidInputError(missing);
  }
  const prefix = how ? 'how' : (written?.prefix ?? 'when');
  const content = await contentOf(io, flags);
  return { prefix, trigger, header, description, file, content, under };
}

/** With the slash command or without. */
function entryOf(line: string, { parseEntryLine }: WhenRoom) {
  const entry = parseEntryLine(/^\s*(?:[-*+]\s+)?\//.test(line) ? line : `/when ${line}`);
  if (entry) return entry;
  throw badInput('an entry is one line "trigger | header | description"', { line });
}

async function contentOf(io: Io, flags: RememberFlags): Promise<string | undefined> {
  const { content, contentFile } = flags;
  if (content !== undefined && contentFile !== undefined) {
    throw badInput('give --content or --content-file, not both');
  }
  if (contentFile !== undefined) return readTextFile(resolve(io.cwd, contentFile), contentFile);
  return content === STANDARD_INPUT ? io.stdin() : content;
}
