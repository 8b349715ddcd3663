/** Completion scripts: run by bash itself, and read by every shell that is there. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DETECTOR_NAMES, OFFER_STATES } from '../../../../src/proactive/index.js';
import { makeKnowledge, type Project } from '../cue.js';
import { makeStage, startHintServer } from '../nudge/nudge.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const present = SHELLS.filter((shell) => spawnSync(shell, ['--version']).status === 0);
for (const shell of SHELLS) {
  if (!present.includes(shell)) {
    process.stderr.write(`${shell} is not there: its completion scripts are not read by it\n`);
  }
}

let project: Project;
const scripts = new Map<string, string>();
beforeAll(async () => {
  project = makeKnowledge();
  for (const shell of SHELLS) {
    scripts.set(`cue ${shell}`, (await project.cue('completion', shell)).out);
    scripts.set(`nudge ${shell}`, await nudgeScript(shell));
  }
});
afterAll(() => project.remove());

async function nudgeScript(shell: string): Promise<string> {
  const stage = makeStage();
  try {
    return (await stage.nudge('completion', shell)).out;
  } finally {
    stage.remove();
  }
}

/** What a stranger's index may hold: nothing of it may be run. */
const NAMES = ['api', 'writing mock tests', 'writing modules', '$(echo run >&2)'];

/** What bash offers for the line, whose last word is being typed. */
function offered(program: string, words: readonly string[]): string[] {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const line = `
    ${scripts.get(`${program} bash`)}
    ${program}() { printf '%s\\n' ${NAMES.map(quoted).join(' ')}; }
    COMP_WORDS=(${[program, ...words].map(quoted).join(' ')})
    COMP_CWORD=${words.length}
    _${program}
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', line], {
    cwd: project.root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((one) => one !== '');
}

describe('bash completes', () => {
  it.each([
    ['a group', ['tr'], ['trigger']],
    ['a command of a group', ['trigger', 're'], []],
    ['commands that begin alike', ['trigger', 'run'], ['runs', 'run']],
    ['an option', ['trigger', 'list', '--st'], ['--state']],
    ['an option of the group behind its command', ['trigger', 'list', '--js'], ['--json']],
    ['a value that is one of several', ['trigger', 'list', '--state', 're'], ['resting']],
    ['such a value behind =', ['trigger', 'list', '--state', '=', 'pa'], ['paused']],
    [
      'all of them right behind =',
      ['recall', '--depth', '='],
      'summary outcome reasoning full complete',
    ],
    ['nothing for a value that may be anything', ['trigger', 'list', '--limit', ''], []],
    ['a command behind an option with a value', ['trigger', '-p', '8765', 'exp'], ['explain']],
    ['a choice of an argument', ['autonomy', 'o'], ['on', 'off']],
    ['a file', ['import', 'agents/m'], ['agents/memory-index.md']],
    ['a folder', ['when', '--decisions', 'agents/'], ['agents/decisions']],
    [
      'the options where nothing else is known',
      ['export', ''],
      '-p --port --data-dir --json --format --triggers --help',
    ],
    [
      'data, quoted as one word',
      ['when', 'writing'],
      ['writing\\ mock\\ tests', 'writing\\ modules'],
    ],
    ['data within quotes', ['when', '"writing mo'], ['writing mock tests', 'writing modules']],
    ['data behind a backslash', ['when', 'writing\\ moc'], ['writing\\ mock\\ tests']],
    ['no second command', ['trigger', 'show', 'lis'], []],
    ['an offer’s kind', ['offers', 'list', '--kind', ''], DETECTOR_NAMES.join(' ')],
    ['an offer’s state', ['offers', 'list', '--state', ''], OFFER_STATES.join(' ')],
  ])('%s', (_what, words, expected) => {
    expect(offered('cue', words)).toEqual(
      typeof expected === 'string' ? expected.split(' ') : expected,
    );
  });

  it('runs nothing that stands in a name', () => {
    expect(offered('cue', ['when', '$'])).toEqual(['\\$\\(echo\\ run\\ \\>\\&2\\)']);
  });

  it.each([
    ['a command by its alias', ['list-'], ['list-components']],
    ['a component', ['get', 'a'], ['api']],
    ['no component for a key', ['get', 'api', 'a'], []],
    ['a component as the value of an option', ['query', '--component', 'ap'], ['api']],
    ['a level', ['serve', '--log-level', 'd'], ['debug']],
  ])('nudge: %s', (_what, words, expected) => {
    expect(offered('nudge', words)).toEqual(expected);
  });
});

describe('the scripts', () => {
  it.each(present.flatMap((shell) => ['cue', 'nudge'].map((program) => [program, shell] as const)))(
    'of %s are understood by %s',
    (program, shell) => {
      const { status, stderr } = spawnSync(shell, ['-n'], {
        input: scripts.get(`${program} ${shell}`),
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it.each(SHELLS)('for %s name every command', (shell) => {
    const text = scripts.get(`cue ${shell}`) ?? '';
    for (const path of ['cue when validate', 'cue trigger explain', 'cue offers ack']) {
      expect(text).toContain(`'${path}'`);
    }
    expect(scripts.get(`nudge ${shell}`)).toContain(`'nudge list-components'`);
  });
});

describe('what the scripts ask for', () => {
  it('the triggers of the index, without what a shell would expand', async () => {
    project.write(
      'agents/memory-index.md',
      `${project.read('agents/memory-index.md')}/when running $(date) | Exit codes | x\n`,
    );
    expect(await project.cue('completion', '--candidates', 'when')).toEqual({
      code: 0,
      out:
        'choosing exit codes\nwriting mock tests\norganizing test files\nvalidate results\n' +
        'running the validator\n',
      err: '',
    });
  });

  it('the components of whoever serves', async () => {
    const server = await startHintServer();
    const stage = makeStage(server);
    await stage.nudge('set', 'http-proxy', 'build', 'make');
    // A shell waits a second for them, and gets none from a machine that is that busy.
    await expect
      .poll(() => stage.nudge('completion', '--candidates', 'components'))
      .toEqual({ code: 0, out: 'http-proxy\n', err: '' });
    stage.remove();
    await server.close();
  });

  it('is nothing where it cannot be had', async () => {
    const stage = makeStage();
    const none = { code: 0, out: '', err: '' };
    expect(await stage.nudge('completion', '--candidates', 'components')).toEqual(none);
    expect(await stage.nudge('completion', '--candidates', 'when')).toEqual(none);
    stage.remove();
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
