/** What shells complete: the words themselves in this process, the scripts by every shell that is there. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DETECTOR_NAMES, OFFER_STATES } from '../../../src/proactive/index.js';
import { freePort } from '../../helpers/free-port.js';
import { programOf } from '../../helpers/programs.js';
import { makeKnowledge, type Project } from './cue.js';
import { makeStage, startHintServer } from './nudge/nudge.js';
import { type Served, startServed } from './served.js';

let project: Project;
let served: Served;
beforeAll(async () => {
  project = makeKnowledge();
  served = await startServed();
});
afterAll(async () => {
  project.remove();
  await served.stop();
});

const valuesIn = (out: string): string[] =>
  out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));

/** What `cue` offers for the line, whose last word is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, out, err } = await project.cue('__complete', '--', ...words);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return valuesIn(out);
}

describe('cue completes', () => {
  it.each([
    ['a group', ['tr'], 'trigger'],
    ['a command of a group', ['trigger', 're'], ''],
    ['commands that begin alike', ['trigger', 'run'], 'runs run'],
    ['an option', ['trigger', 'list', '--st'], '--state'],
    ['an option of the group behind its command', ['trigger', 'list', '--js'], '--json'],
    ['a value that is one of several', ['trigger', 'list', '--state', 're'], 'resting'],
    [
      'such a value behind = as bash divides it',
      ['trigger', 'list', '--state', '=', 'pa'],
      'paused',
    ],
    ['such a value behind = as others do', ['trigger', 'list', '--state=pa'], '--state=paused'],
    [
      'all of them right behind =',
      ['recall', '--depth', '='],
      'summary outcome reasoning full complete',
    ],
    ['nothing for a value that may be anything', ['trigger', 'list', '--limit', ''], ''],
    ['a command behind an option with a value', ['trigger', '-p', '8765', 'exp'], 'explain'],
    ['a choice of an argument', ['autonomy', 'o'], 'on off'],
    ['a file', ['import', 'agents/m'], ':files'],
    ['a folder', ['when', '--decisions', 'agents/'], ':folders'],
    [
      'the options where nothing else is known',
      ['export', ''],
      '-p --port --data-dir --json --format --triggers --help',
    ],
    ['no second command', ['trigger', 'create', 'lis'], ''],
    ['nothing behind what it does not know', ['unheard', 'x'], ''],
    ['an offer’s kind', ['offers', 'list', '--kind', ''], DETECTOR_NAMES.join(' ')],
    ['an offer’s state', ['offers', 'list', '--state', ''], OFFER_STATES.join(' ')],
  ])('%s', async (_what, words, expected) => {
    expect(await offered(...words)).toEqual(expected.split(' ').filter((word) => word !== ''));
  });

  it('says what each is, and does not name what is only for shells', async () => {
    const { out } = await project.cue('__complete', '--', '');
    expect(out).toContain('\ntrigger\tinstructions that run by a schedule\n');
    expect(out).not.toContain('__');
  });

  it('the triggers of the index, without what a shell would expand', async () => {
    project.write(
      'agents/memory-index.md',
      `${project.read('agents/memory-index.md')}/when running $(date) | Exit codes | x\n`,
    );
    expect(await offered('when', 'w')).toEqual(['writing mock tests']);
    expect(await offered('when', 'running')).toEqual(['running the validator']);
  });
});

describe('what is data is asked of whoever serves', () => {
  const asked = async (...words: string[]) =>
    (await served.cue('__complete', '--', ...words)).out.split('\n').filter((line) => line !== '');

  it('triggers by name, and by id once something is typed', async () => {
    const ids = new Map<string, string>();
    for (const name of ['water the plants', 'say "hi" and $(rm)']) {
      const words = ['create', '--interval-ms', '25200000', name, '--name', name];
      const { document } = await served.json('trigger', ...words);
      ids.set(name, Object(document.trigger).id.slice(0, 8));
    }
    const [plain = '', odd = ''] = [...ids.values()];
    expect((await asked('trigger', 'show', '')).toSorted()).toEqual(
      ['water the plants\tevery 7 hours', `${odd}\tsay "hi" and $(rm)`].toSorted(),
    );
    expect(await asked('trigger', 'show', plain.slice(0, 5))).toEqual([
      `${plain}\twater the plants`,
    ]);
    expect(await asked('trigger', 'run', 'wat')).toEqual(['water the plants\tevery 7 hours']);
    expect(await asked('trigger', 'show', 'water', 't')).toEqual([]);
  });

  it('memories, also for a recall', async () => {
    const { out } = await served.cue('store', '--intent', 'Fix the login', '--success');
    const id = /mem_\w+/.exec(out)?.[0] ?? '';
    expect(await asked('purge', '')).toEqual([`${id}\tFix the login`]);
    expect(await asked('recall', 'mem_')).toEqual([`${id}\tFix the login`]);
    expect(await asked('recall', 'log')).toEqual([]);
  });

  it('offers, with what each is about', async () => {
    await served.cue('store', '--intent', 'Fix auth', '--edited', 'src/auth.ts', '--success');
    const { port } = JSON.parse(served.read('pids/server.pid'));
    await fetch(`http://127.0.0.1:${port}/cue/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'fileTouched', path: 'src/auth.ts' }),
    });
    const [line = ''] = await asked('offers', 'ack', '');
    expect(line).toMatch(/^[0-9a-f]{8}\tfileTouch: src\/auth\.ts$/);
    expect(await asked('offers', 'dismiss', line.slice(0, 4))).toEqual([line]);
  });

  it('at the port that is typed, and nothing where nobody is', async () => {
    const { port } = JSON.parse(served.read('pids/server.pid'));
    const here = await project.cue('__complete', '--', 'trigger', '-p', String(port), 'show', '');
    expect(valuesIn(here.out)).toContain('water the plants');
    const closed = String(await freePort());
    expect(await offered('trigger', 'show', '-p', closed, 'w')).toEqual([]);
  });

  it('components, for nudge', async () => {
    const server = await startHintServer();
    const stage = makeStage(server);
    await stage.nudge('set', 'http-proxy', 'build', 'make');
    const nudge = async (...words: string[]) =>
      valuesIn((await stage.nudge('__complete', '--', ...words)).out);
    // A shell waits a second for them, and gets none from a machine that is that busy.
    await expect.poll(() => nudge('get', 'h')).toEqual(['http-proxy']);
    await expect.poll(() => nudge('query', '--component', '')).toEqual(['http-proxy']);
    expect(await nudge('get', 'http-proxy', 'h')).toEqual([]);
    expect(await nudge('list-')).toEqual(['list-components']);
    expect(await nudge('serve', '--log-level', 'd')).toEqual(['debug']);
    stage.remove();
    await server.close();
  });
});

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const present = SHELLS.filter((shell) => spawnSync(shell, ['--version']).status === 0);
for (const shell of SHELLS) {
  if (!present.includes(shell)) {
    process.stderr.write(`${shell} is not there: its completion script is not run by it\n`);
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Run by the shell with the script in front. */
function inShell(shell: string, script: string, line: string, flags: string[] = []): string {
  const cue = [process.execPath, programOf('src/bin/cue')].map(quoted).join(' ');
  const stub = shell === 'fish' ? `function cue; ${cue} $argv; end` : `cue() { ${cue} "$@"; }`;
  const { stdout, stderr } = spawnSync(shell, [...flags, '-c', `${stub}\n${script}\n${line}`], {
    cwd: project.root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: project.root, NUDGE_PID_DIR: project.root },
  });
  expect(stderr).toBe('');
  return stdout;
}

describe('the scripts', () => {
  it('bash gets words, quotes what has blanks, and knows files by itself', async () => {
    const { out: script } = await project.cue('completion', 'bash');
    const inBash = (...words: string[]): string[] => {
      const line = `COMP_WORDS=(${['cue', ...words].map(quoted).join(' ')}); COMP_CWORD=${words.length}
        _cue; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return valuesIn(inShell('bash', script, line, ['--norc']));
    };
    expect(inBash('tri')).toEqual(['trigger']);
    expect(inBash('trigger', 'list', '--state', '=', 'pa')).toEqual(['paused']);
    expect(inBash('import', 'agents/m')).toEqual(['agents/memory-index.md']);
    expect(inBash('when', '--decisions', 'agents/')).toEqual(['agents/decisions']);
    expect(inBash('when', 'writing')).toEqual(['writing\\ mock\\ tests']);
    expect(inBash('when', '"writing mo')).toEqual(['writing mock tests']);
    expect(inBash('when', 'writing\\ moc')).toEqual(['writing\\ mock\\ tests']);
    expect(inBash('when', '$(echo run >&2)')).toEqual([]);
  });

  it.runIf(present.includes('fish'))('fish gets words with what they are', async () => {
    const { out: script } = await project.cue('completion', 'fish');
    const inFish = (line: string) => inShell('fish', script, `complete -C ${quoted(line)}`);
    expect(inFish('cue tri')).toBe('trigger\tinstructions that run by a schedule\n');
    expect(inFish('cue trigger list --state pa')).toBe('paused\n');
    expect(inFish('cue import agents/m')).toContain('agents/memory-index.md');
    expect(inFish('cue when writing')).toContain('writing mock tests\t');
  });

  it.runIf(present.includes('zsh'))('zsh gets words with what they are', async () => {
    const { out: script } = await project.cue('completion', 'zsh');
    const heard = `compdef() { }; _describe() { print -l -- "\${(@P)2}" }; _files() { print files "$@" }`;
    const inZsh = (...words: string[]): string[] => {
      const line = `words=(${['cue', ...words].map(quoted).join(' ')}); CURRENT=${words.length + 1}; _cue`;
      return inShell('zsh', `${heard}\n${script}`, line, ['-f']).trimEnd().split('\n');
    };
    expect(inZsh('tri')).toEqual(['trigger:instructions that run by a schedule']);
    expect(inZsh('trigger', 'list', '--state', 'pa')).toEqual(['paused']);
    expect(inZsh('when', 'writing')).toEqual(['writing mock tests:Mock Patching Pattern']);
    expect(inZsh('import', 'a')).toEqual(['files']);
    expect(inZsh('when', '--decisions', '')).toEqual(['files -/']);
  });

  it('a shell has to be named', async () => {
    expect(await project.cue('completion')).toEqual({
      code: 2,
      out: '',
      err: 'cue: say for which shell: bash, zsh, fish\n',
    });
    expect((await project.cue('completion', 'csh')).code).toBe(2);
  });
});
