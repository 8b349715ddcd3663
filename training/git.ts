/** Reads a clone of a public source at a named commit. */
import { spawnSync } from 'node:child_process';

const MOST_BYTES = 2 ** 30;
const AT_ONCE = 400;

export interface BlobFile {
  path: string;
  text: string;
}

function git(clone: string, args: readonly string[], input?: string): Buffer {
  const { status, stdout, stderr, error } = spawnSync('git', ['-C', clone, ...args], {
    maxBuffer: MOST_BYTES,
    ...(input !== undefined && { input }),
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`git ${args[0]} in ${clone}: ${stderr.toString().trim()}`);
  return stdout;
}

/** Subject and body of each commit up to the named one, newest first. */
export function messagesOf(clone: string, commit: string, most: number): [string, string][] {
  const format = '--format=%x1e%s%x1f%b';
  const log = git(clone, ['log', '--no-merges', `--max-count=${most}`, format, commit]);
  return log
    .toString('utf8')
    .split('\x1e')
    .flatMap((record): [string, string][] => {
      const [subject, body] = record.split('\x1f');
      return subject === undefined || body === undefined ? [] : [[subject, body]];
    });
}

/** Files of the commit whose path and size are wanted, in order of their paths. */
export function* filesOf(
  clone: string,
  commit: string,
  isWanted: (path: string, bytes: number) => boolean,
): Generator<BlobFile> {
  const listed = git(clone, ['ls-tree', '-r', '-l', '-z', commit]).toString('utf8').split('\0');
  const wanted = listed.flatMap((line) => {
    const found = /^\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line);
    const [, hash = '', bytes = '', path = ''] = found ?? [];
    return found && isWanted(path, Number(bytes)) ? [{ hash, path }] : [];
  });
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE);
    const hashes = some.map(({ hash }) => hash).join('\n');
    const bytes = git(clone, ['cat-file', '--batch'], `${hashes}\n`);
    let at = 0;
    for (const { path } of some) {
      const end = bytes.indexOf(10, at);
      const size = Number(bytes.toString('latin1', at, end).split(' ')[2]);
      at = end + 1;
      if (!Number.isInteger(size)) continue;
      yield { path, text: bytes.toString('utf8', at, at + size) };
      at += size + 1;
    }
  }
}
