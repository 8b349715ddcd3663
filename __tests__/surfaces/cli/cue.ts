/** `cue` in this process, in a project of its own on the disk. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Io, Terminal } from '../../../src/surfaces/cli/io.js';
import { run } from '../../../src/surfaces/cli/program.js';

export const NOW = Date.UTC(2026, 4, 1, 9);

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Standard input and environment are empty where it names none. */
export interface CueWorld {
  cwd: string;
  nowMs: () => number;
  env?: Record<string, string>;
  stdin?: string;
  /** Absent: standard output is a pipe. */
  terminal?: Terminal;
  /** Ctrl-C. */
  interrupted?: AbortSignal;
  /** What is printed, as it is. */
  heard?: (text: string) => unknown;
}

export async function runCue(argv: string[], world: CueWorld): Promise<Ended> {
  const ended: Ended = { code: 0, out: '', err: '' };
  ended.code = await run(argv, ioOf(world, ended));
  return ended;
}

/** What a command sees of that world; what it prints is added to `ended`. */
export function ioOf(world: CueWorld, ended: Ended): Io {
  return {
    cwd: world.cwd,
    env: world.env ?? {},
    parentPid: 4711,
    clock: { now: world.nowMs },
    stdin: async () => world.stdin ?? '',
    ...(world.terminal && { terminal: world.terminal }),
    ...(world.interrupted && { interrupted: () => world.interrupted as AbortSignal }),
    out: (text) => {
      ended.out += text;
      world.heard?.(text);
    },
    err: (text) => {
      ended.err += text;
    },
  };
}

export interface Project {
  root: string;
  write(path: string, text: string): string;
  read(path: string): string;
  cue(...argv: string[]): Promise<Ended>;
  /** The same with standard input, another directory or environment. */
  cueWith(
    world: { stdin?: string; cwd?: string; env?: Record<string, string> },
    ...argv: string[]
  ): Promise<Ended>;
  /** The one document on standard output. */
  json(...argv: string[]): Promise<{ code: number; document: unknown }>;
  remove(): void;
}

export function makeProject(): Project {
  const root = mkdtempSync(join(tmpdir(), 'cue-cli-'));
  mkdirSync(join(root, '.git'));

  const cueWith: Project['cueWith'] = (world, ...argv) =>
    runCue(argv, { ...world, cwd: world.cwd ?? root, nowMs: () => NOW });

  return {
    root,
    write(path, text) {
      const whole = join(root, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text);
      return whole;
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    cue: (...argv) => cueWith({}, ...argv),
    cueWith,
    async json(...argv) {
      const { code, out } = await cueWith({}, ...argv, '--json');
      return { code, document: JSON.parse(out) };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const INDEX = `# Memory index

## agents/decisions/cli.md

/when choosing exit codes | Exit codes | zero success three missing two usage error one failure

## agents/decisions/testing.md

/when writing mock tests | Mock Patching Pattern | patch where the name is used, not defined
/when organizing test files | Test Module Split Strategy | split by feature, mirror source modules
/when validate results | Result validation | compare exact values, never truthiness of outputs
/when running the validator | Validation runs | run it before each commit, read every warning
`;

export const TESTING = `# Testing

## .Mock Patching

### Mock Patching Pattern

Patch where the object is used.

### Test Module Split Strategy

One module per feature.

## Result validation

Exact values.

## Validation runs

Before each commit.
`;

export const CLI = `# Command line

## Exit codes

0, 1, 2 and 3.
`;

/** A project with the index where it is looked for first. */
export function makeKnowledge(): Project {
  const project = makeProject();
  project.write('agents/memory-index.md', INDEX);
  project.write('agents/decisions/testing.md', TESTING);
  project.write('agents/decisions/cli.md', CLI);
  return project;
}
