/** A folder with an index and decision files, for one test file; removed afterwards. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { WhenPaths } from '../../src/when/types.js';

export interface DiskRoom {
  /** Holds everything. */
  root: string;
  paths: WhenPaths;
  /** Path of a decision file, or of `index.md`'s neighbour with a leading `../`. */
  at(file: string): string;
  put(file: string, text: string): void;
  putIndex(text: string): void;
  read(file: string): string;
  index(): string;
}

const made: string[] = [];

/** Registers its own clean-up: call it while tests are collected or within one. */
export function diskRoom(): DiskRoom {
  const root = mkdtempSync(join(tmpdir(), 'cue-when-'));
  made.push(root);
  const paths = { index: join(root, 'agents/index.md'), decisions: join(root, 'agents/decisions') };
  mkdirSync(paths.decisions, { recursive: true });
  const at = (file: string) => join(paths.decisions, file);
  return {
    root,
    paths,
    at,
    put(file, text) {
      mkdirSync(dirname(at(file)), { recursive: true });
      writeFileSync(at(file), text);
    },
    putIndex: (text) => writeFileSync(paths.index, text),
    read: (file) => readFileSync(at(file), 'utf8'),
    index: () => readFileSync(paths.index, 'utf8'),
  };
}

afterAll(() => {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true });
});
