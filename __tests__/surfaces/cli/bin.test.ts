import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programOf } from '../../helpers/programs.js';
import { withProc } from '../../helpers/where.js';
import { CLI, makeKnowledge, type Project } from './cue.js';

/** A section of a megabyte. */
const LINE = `${'x'.repeat(79)}\n`;
const LONG = CLI + LINE.repeat(13_000);

let project: Project;
beforeEach(() => {
  project = makeKnowledge();
});
afterEach(() => project.remove());

interface Exit {
  code: number | null;
  out: string;
  err: string;
}

interface Heard {
  stdin?: string;
  hearing?: number;
  env?: Record<string, string>;
}

/** `hearing`: how many characters are read before standard output is closed. */
function cue(
  argv: readonly string[],
  { stdin = '', hearing = Number.POSITIVE_INFINITY, env = {} }: Heard = {},
): Promise<Exit> {
  const child = spawn(process.execPath, [programOf('src/bin/cue'), ...argv], {
    cwd: project.root,
    env: { PATH: process.env.PATH, CUE_DATA_DIR: join(project.root, 'data'), ...env },
  });
  const heard: Exit = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard.out += text;
    if (heard.out.length >= hearing) child.stdout.destroy();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text;
  });
  child.stdin.end(stdin);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ ...heard, code }));
  });
}

describe('the cue process', () => {
  it('reads standard input, prints the result alone, and ends with its exit code', async () => {
    const { code, out, err } = await cue(['when', '-'], {
      stdin: 'choosing exit codes\n§ nothing.md\n',
    });

    expect({ code, err }).toEqual({ code: 3, err: '' });
    expect(out).toMatch(/^# Exit codes\n\n0, 1, 2 and 3\.\n\n/);
    expect(project.read('data/when-usage.jsonl')).toContain(`/${process.pid}",`);
  });

  it('says on standard error what it refuses', async () => {
    expect(await cue(['when', 'x', '--bogus'])).toEqual({
      code: 2,
      out: '',
      err: "cue: unknown option '--bogus'\n",
    });
  });

  it('takes ten megabytes of a hook, and leaves it at that where nothing serves', async () => {
    const fields = { hook_event_name: 'UserPromptSubmit', prompt: LINE.repeat(125_000) };
    const env = { NUDGE_PID_DIR: join(project.root, 'data'), CUE_HOOK_BUDGET_MS: '30000' };

    expect(await cue(['hook', '--later'], { stdin: JSON.stringify(fields), env })).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });

  it('gives a megabyte whole through a pipe', async () => {
    project.write('agents/decisions/cli.md', LONG);
    const { code, out } = await cue(['when', 'choosing exit codes', '--json']);

    expect(code).toBe(0);
    expect(JSON.parse(out).results[0].matches[0].content).toHaveLength(
      LONG.length - LONG.indexOf('\n', LONG.indexOf('## ')) - 1,
    );
  });

  it('ends quietly when its reader has heard enough', async () => {
    project.write('agents/decisions/cli.md', LONG);
    const { code, err } = await cue(['when', 'choosing exit codes'], { hearing: 10 });

    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});

describe('an export', () => {
  /** Gives a line, and the end when `rest` comes. */
  async function exportsTo(stdout: number, rest: (err: string) => boolean): Promise<Exit> {
    let finish = (): void => {};
    const server = createServer((_request, response) => {
      finish = () => response.end('{"version":1}\n');
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"version":1}\n');
      setTimeout(finish, 3_000).unref();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = Object(server.address());
    const child = spawn(
      process.execPath,
      [programOf('src/bin/cue'), 'export', '-p', String(port)],
      {
        cwd: project.root,
        env: { PATH: process.env.PATH },
        stdio: ['ignore', stdout, 'pipe'],
      },
    );
    let err = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      if (rest(err)) finish();
    });
    try {
      return await new Promise((done, failed) => {
        child.on('error', failed);
        child.on('close', (code) => done({ code, out: '', err }));
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it.runIf(withProc())('that cannot be written to its end says so and fails', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const { code, err } = await exportsTo(full, (said) => said.includes('no space'));

      expect({ code, err }).toEqual({
        code: 1,
        err: 'standard output was not written to its end: ENOSPC: no space left on device, write\n',
      });
    } finally {
      closeSync(full);
    }
  });
});

describe('what the cue process loads for a recall', () => {
  const PACKAGES = new Set<string>();
  const FILES = new Set<string>();

  function follow(file: string): void {
    if (FILES.has(file)) return;
    FILES.add(file);
    const source = readFileSync(file, 'utf8');
    const imports =
      /^(?:import|export)(?! type\b)[^;'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;
    for (const [, named, bare, lazy] of source.matchAll(imports)) {
      const target = named ?? bare ?? lazy ?? '';
      // Of what the program could load only the group that is asked for.
      const isOther =
        /program|bin.commands/.test(file) && !/cli.program|when-commands/.test(lazy ?? '');
      if (lazy && isOther) continue;
      if (!target.startsWith('.')) PACKAGES.add(target);
      else follow(resolve(dirname(file), target.replace(/\.js$/, '.ts')));
    }
  }

  it('is neither host nor database, tokenizer or schemas: each takes as long as all the rest', () => {
    follow(fileURLToPath(new URL('../../../src/bin/commands.ts', import.meta.url)));

    const packages = [...PACKAGES].filter((name) => !name.startsWith('node:')).sort();
    expect(packages).toEqual(['commander', 'markdown-it', 'stemmer']);
    expect([...FILES].filter((file) => /records.index|shared.tokens/.test(file))).toEqual([]);
    expect([...FILES].every((file) => existsSync(file))).toBe(true);
    expect(FILES.size).toBeGreaterThan(50);
  });
});
