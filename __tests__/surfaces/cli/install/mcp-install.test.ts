import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../src/surfaces/cli/command-line.js';
import { defineInstall } from '../../../../src/surfaces/cli/install/command.js';
import { valueAt } from '../../../../src/surfaces/cli/install/merge.js';
import { where } from '../../../helpers/where.js';

const PROGRAM = {
  node: '/opt/node/bin/node',
  bin: '/opt/cue/dist/bin/cue.js',
  name: 'plugin-cue',
};
const ABSOLUTE = { command: PROGRAM.node, args: [PROGRAM.bin, 'mcp'] };
const INSTALLED = 'node_modules/plugin-cue/dist/bin/cue.js';
const PROJECT = ['$', '{CLAUDE_PROJECT_DIR}'].join('');
const WORKSPACE = ['$', '{workspaceFolder}'].join('');

let root: string;
let home: string;
let project: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cue-install-'));
  home = join(root, 'home');
  project = join(root, 'app');
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  mkdirSync(home);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface World {
  cwd?: string;
  env?: Record<string, string>;
  bin?: string;
}

const install = (...flags: string[]) => installIn({}, ...flags);

async function installIn(
  { cwd = project, env = {}, bin = PROGRAM.bin }: World,
  ...flags: string[]
) {
  let out = '';
  let err = '';
  const define: Parameters<typeof runProgram>[0]['define'] = async (program, context) => {
    defineInstall(program.command('install'), context, { ...PROGRAM, bin });
    return ['install', ...flags];
  };
  const code = await runProgram({ name: 'cue', description: '', define }, flags, {
    cwd,
    env: { HOME: home, ...env },
    parentPid: 1,
    clock: { now: () => 0 },
    stdin: async () => '',
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};
const inProject = (path: string) => join(project, path);
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const installHere = () => write(inProject(INSTALLED), '');

describe('cue mcp install in a project that has the package', () => {
  it('writes what everybody who works on the project can run', async () => {
    installHere();
    const { code, out } = await install('--client', 'claude-code');
    const hook = (matcher?: string) => [
      {
        ...(matcher === undefined ? {} : { matcher }),
        hooks: [
          {
            type: 'command',
            command: 'node',
            args: [`${PROJECT}/${INSTALLED}`, 'hook'],
            timeout: 5,
          },
        ],
      },
    ];

    expect(code).toBe(0);
    expect(out).toBe(
      '✔ .mcp.json (claude-code): created\n✔ .claude/settings.json (claude-code): created\n',
    );
    expect(json(inProject('.mcp.json'))).toEqual({
      mcpServers: {
        cue: { type: 'stdio', command: 'node', args: [INSTALLED, 'mcp'] },
      },
    });
    expect(json(inProject('.claude/settings.json'))).toEqual({
      hooks: {
        SessionStart: hook(),
        UserPromptSubmit: hook(),
        PreToolUse: hook('Read|Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell'),
        PostToolUse: hook('Bash|PowerShell'),
        PostToolUseFailure: hook('Bash|PowerShell'),
      },
    });
  });

  it('says to Cursor where the project is', async () => {
    installHere();
    await install('--client', 'cursor');

    expect(json(inProject('.cursor/mcp.json'))).toEqual({
      mcpServers: {
        cue: { type: 'stdio', command: 'node', args: [`${WORKSPACE}/${INSTALLED}`, 'mcp'] },
      },
    });
  });

  it('is called from any folder of it', async () => {
    installHere();
    const cwd = inProject('src/deep');
    mkdirSync(cwd, { recursive: true });
    await installIn({ cwd }, '--client', 'cursor');

    expect(existsSync(inProject('.cursor/mcp.json'))).toBe(true);
  });

  it('is the package itself, too', async () => {
    const bin = write(inProject('dist/bin/cue.js'), '');
    await installIn({ bin }, '--client', 'claude-code');
    const { PreToolUse } = json(inProject('.claude/settings.json')).hooks;

    expect(PreToolUse[0].hooks[0].args).toEqual([`${PROJECT}/dist/bin/cue.js`, 'hook']);
  });
});

describe('cue mcp install in a workspace of which one package has ours', () => {
  const inApp = `packages/app/${INSTALLED}`;
  const servers = () => json(inProject('.mcp.json')).mcpServers.cue.args;
  const hooks = () => json(inProject('.claude/settings.json')).hooks.SessionStart[0].hooks[0].args;

  it('writes where it lies from the root', async () => {
    const bin = write(inProject(inApp), '');
    await installIn({ bin }, '--client', 'claude-code');

    expect(json(inProject('.mcp.json')).mcpServers.cue).toEqual({
      ...{ type: 'stdio', command: 'node', args: [inApp, 'mcp'] },
    });
    expect(hooks()).toEqual([`${PROJECT}/${inApp}`, 'hook']);
  });

  it('writes the link of it, and not the folder of one version', async () => {
    const stored = 'node_modules/.pnpm/plugin-cue@0.1.0/';
    const bin = write(inProject(stored + INSTALLED), '');
    const link = inProject(dirname(dirname(dirname(inApp))));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(dirname(dirname(dirname(bin))), link);
    const cwd = inProject('packages/app/src');
    mkdirSync(cwd);
    await installIn({ bin, cwd }, '--client', 'claude-code');

    expect([servers(), hooks()]).toEqual([
      [inApp, 'mcp'],
      [`${PROJECT}/${inApp}`, 'hook'],
    ]);
    const { err } = await installIn({ bin }, '--client', 'cursor');
    expect(err).toContain(`${bin} is a copy of pnpm, which may vanish`);
  });

  it('writes the link for the user, too', async () => {
    const stored = 'global/node_modules/.pnpm/plugin-cue@0.1.0/';
    const bin = write(join(root, stored + INSTALLED), '');
    const link = join(root, 'global/node_modules/plugin-cue');
    symlinkSync(dirname(dirname(dirname(bin))), link);
    await installIn({ bin }, '--client', 'cursor', '--scope', 'user');

    expect(json(join(home, '.cursor/mcp.json')).mcpServers.cue.args).toEqual([
      join(link, 'dist/bin/cue.js'),
      'mcp',
    ]);
  });
});

describe('cue mcp install where the package lies elsewhere', () => {
  it('writes paths of this machine into a project, and says so', async () => {
    const { err } = await install('--client', 'claude-code', '--no-hooks');

    expect(json(inProject('.mcp.json')).mcpServers.cue).toEqual({ type: 'stdio', ...ABSOLUTE });
    expect(err).toContain('plugin-cue is not installed in this project');
    expect(existsSync(inProject('.claude'))).toBe(false);
  });

  it('writes them for the user, into files of the user alone', async () => {
    const { code, err } = await install('--client', 'claude-code', '--scope', 'user');
    const servers = join(home, '.claude.json');

    expect({ code, err }).toEqual({
      code: 0,
      err: 'start the client anew, so that it reads this\n',
    });
    expect(json(servers).mcpServers.cue).toEqual({ type: 'stdio', ...ABSOLUTE });
    expect(statSync(servers).mode & 0o777).toBe(0o600);
    expect(json(join(home, '.claude/settings.json')).hooks.SessionStart).toEqual([
      {
        hooks: [
          { type: 'command', command: PROGRAM.node, args: [PROGRAM.bin, 'hook'], timeout: 5 },
        ],
      },
    ]);
  });

  it('warns of a copy that npx throws away', async () => {
    const bin = '/home/ada/.npm/_npx/1/node_modules/plugin-cue/dist/bin/cue.js';
    const { err } = await installIn({ bin }, '--client', 'cursor', '--scope', 'user');

    expect(err).toContain('which may vanish');
  });

  it('follows where Claude Code has been moved to', async () => {
    const moved = join(root, 'moved');
    const flags = ['--client', 'claude-code', '--scope', 'user'];
    await installIn({ env: { CLAUDE_CONFIG_DIR: moved } }, ...flags);

    expect(readdirSync(moved).sort()).toEqual(['.claude.json', 'settings.json']);
  });

  it.runIf(where(process.platform === 'linux', 'its places differ'))(
    'knows the one place of Claude Desktop',
    async () => {
      const { code } = await install('--client', 'claude-desktop');

      expect(code).toBe(0);
      expect(json(join(home, '.config/Claude/claude_desktop_config.json'))).toEqual({
        mcpServers: { cue: ABSOLUTE },
      });
    },
  );
});

describe('the clients without --client', () => {
  it('are those that are found', async () => {
    mkdirSync(join(home, '.cursor'));
    mkdirSync(join(home, '.config/Claude'), { recursive: true });
    const { code, out } = await install('--json');

    expect(code).toBe(0);
    expect(JSON.parse(out).files.map(({ client }: { client: string }) => client)).toEqual([
      'cursor',
      'claude-desktop',
    ]);
  });

  it('are none: it says where it looked', async () => {
    const { code, out, err } = await install();

    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain('--client');
    expect(err).toContain(join(home, '.cursor'));
    expect(readdirSync(project)).toEqual(['.git']);
  });
});

const SETTINGS = `{
    "permissions": { "allow": ["Bash(ls)"] },
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{ "type": "command", "command": "./check.sh" }]
            }
        ],
        "Stop": []
    },
    "10": 12345678901234567890
}
`;

describe('what a file has already', () => {
  it('stays as it is written, and lies beside it as it was', async () => {
    installHere();
    const path = write(inProject('.claude/settings.json'), SETTINGS);
    chmodSync(path, 0o640);
    const { out } = await install('--client', 'claude-code');
    const text = readFileSync(path, 'utf8');

    expect(out).toContain(
      '.claude/settings.json (claude-code): changed; as it was: .claude/settings.json.cue-backup-1\n',
    );
    expect(readFileSync(`${path}.cue-backup-1`, 'utf8')).toBe(SETTINGS);
    expect(text.startsWith(SETTINGS.slice(0, SETTINGS.indexOf('            }\n        ],')))).toBe(
      true,
    );
    expect(text).toContain('"10": 12345678901234567890\n}\n');
    expect(json(path).hooks.PreToolUse).toHaveLength(2);
    expect(json(path).hooks.Stop).toEqual([]);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(inProject('.claude')).sort()).toEqual([
      'settings.json',
      'settings.json.cue-backup-1',
    ]);
  });

  it('is not changed by doing it twice', async () => {
    installHere();
    write(inProject('.claude/settings.json'), SETTINGS);
    await install('--client', 'claude-code');
    const before = readFileSync(inProject('.claude/settings.json'), 'utf8');
    const { code, out, err } = await install('--client', 'claude-code');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      '- .mcp.json (claude-code): nothing to change\n- .claude/settings.json (claude-code): nothing to change\n',
    );
    expect(readFileSync(inProject('.claude/settings.json'), 'utf8')).toBe(before);
    expect(readdirSync(inProject('.claude'))).toHaveLength(2);
  });

  it('is back after --remove', async () => {
    installHere();
    const path = write(inProject('.claude/settings.json'), SETTINGS);
    await install('--client', 'claude-code');
    await install('--client', 'claude-code', '--remove');

    expect(readFileSync(path, 'utf8')).toBe(SETTINGS);
    expect(existsSync(inProject('.mcp.json'))).toBe(false);
    expect(readdirSync(inProject('.claude'))).toEqual(['settings.json']);
    expect((await install('--client', 'claude-code', '--remove')).out).toMatch(
      /^(?:- .* nothing to change\n){2}$/,
    );
  });

  it('is brought up to date where it was ours, with what the user has added', async () => {
    installHere();
    const old = {
      command: 'node',
      args: ['/old/bin/cue.js', 'mcp'],
      env: { CUE_MCP_TOOLS: 'all' },
    };
    write(inProject('.mcp.json'), JSON.stringify({ mcpServers: { cue: old } }, null, 2));
    const hooks = [
      { type: 'command', command: 'node /old/bin/cue.js hook' },
      { type: 'command', command: './mine.sh' },
    ];
    write(
      inProject('.claude/settings.json'),
      JSON.stringify({ hooks: { SessionStart: [{ matcher: 'startup', hooks }] } }, null, 2),
    );
    await install('--client', 'claude-code');
    const { SessionStart } = json(inProject('.claude/settings.json')).hooks;

    expect(json(inProject('.mcp.json')).mcpServers.cue).toEqual({
      type: 'stdio',
      command: 'node',
      args: [INSTALLED, 'mcp'],
      env: { CUE_MCP_TOOLS: 'all' },
    });
    expect(SessionStart[0]).toEqual({ matcher: 'startup', hooks: [hooks[1]] });
    expect(SessionStart[1].hooks[0].args).toEqual([`${PROJECT}/${INSTALLED}`, 'hook']);
    expect(SessionStart).toHaveLength(2);
  });

  it.each([
    [
      'by hand, with flags and an environment',
      { command: 'npx', args: ['-y', 'cue', 'mcp', '--tools', 'all'], env: { A: '1' }, cwd: '/x' },
      { args: ['--tools', 'all'], env: { A: '1' }, cwd: '/x' },
    ],
    ['as a name on the path', { command: 'cue', args: ['mcp'] }, {}],
    ['for a shell of Windows', { command: 'cmd', args: ['/c', 'npx', 'cue', 'mcp'] }, {}],
    [
      'with the package that npx is to take',
      { command: 'npx', args: ['-p', 'plugin-cue@1', '--', 'cue', 'mcp', '-q'] },
      { args: ['-q'] },
    ],
    ['as a version of the package', { command: 'npx', args: ['plugin-cue@0.1.0', 'mcp'] }, {}],
    [
      'on Windows, from a folder that has moved',
      {
        command: 'C:\\old node\\node.exe',
        args: ['C:\\old app\\node_modules\\plugin-cue\\dist\\bin\\cue.js', 'mcp', '-p', '1'],
        disabled: true,
      },
      { args: ['-p', '1'], disabled: true },
    ],
  ])('is known as ours where it was written %s', async (_, old, kept) => {
    const path = write(inProject('.cursor/mcp.json'), JSON.stringify({ mcpServers: { cue: old } }));
    const { code } = await install('--client', 'cursor');
    const { args = [], ...fields } = kept as { args?: string[] };

    expect(code).toBe(0);
    expect(json(path).mcpServers.cue).toEqual({
      ...{ type: 'stdio', command: PROGRAM.node, args: [PROGRAM.bin, 'mcp', ...args] },
      ...fields,
    });
    await install('--client', 'cursor', '--remove');
    // A field that somebody has set is theirs: the file stays, and a copy with the field beside it.
    const isTheirs = Object.keys(fields).length > 0;
    expect(existsSync(path)).toBe(isTheirs);
    const left = isTheirs ? ['mcp.json', 'mcp.json.cue-backup-2'] : [];
    expect(readdirSync(inProject('.cursor')).sort()).toEqual(left);
  });

  it('is left as it is where it reaches us over HTTP', async () => {
    const text = '{"mcpServers":{"cue":{"type":"http","url":"http://127.0.0.1:3000/cue/mcp"}}}';
    const path = write(inProject('.cursor/mcp.json'), text);
    const { code, out } = await install('--client', 'cursor');

    expect({ code, out }).toEqual({
      code: 0,
      out: '- .cursor/mcp.json (cursor): nothing to change\n',
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([
    ['another machine', { command: 'ssh', args: ['devbox', 'cue', 'mcp'] }],
    ['a container', { command: 'docker', args: ['run', '-i', 'img', 'cue', 'mcp'] }],
    ['a shell', { command: 'bash', args: ['-c', 'source ~/.env && cue mcp --tools all'] }],
    ['flags of Node', { command: 'node', args: ['--inspect', '/old/cue.js', 'mcp'] }],
    ['a line of a shell', { command: 'cd /x && npx cue mcp' }],
  ])('is left as it is where it runs us by way of %s, and says so', async (_, server) => {
    const text = JSON.stringify({ mcpServers: { cue: server } });
    const path = write(inProject('.cursor/mcp.json'), text);
    const added = await install('--client', 'cursor');
    const removed = await install('--client', 'cursor', '--remove');

    expect(removed).toEqual(added);
    expect(added).toEqual({
      code: 0,
      out: '- .cursor/mcp.json (cursor): nothing to change\n',
      err: '.cursor/mcp.json: the server "cue" is run by another program or reached over HTTP, and was left as it is\n',
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('keeps a hook that wraps ours, and has no second one in that event', async () => {
    const theirs = [{ hooks: [{ type: 'command', command: 'timeout 1 cue hook || true' }] }];
    const quoted = [{ hooks: [{ type: 'command', command: `node "${PROJECT}/a b/cue.js" hook` }] }];
    const path = write(
      inProject('.claude/settings.json'),
      JSON.stringify({ hooks: { SessionStart: theirs, UserPromptSubmit: quoted } }),
    );
    const { code, err } = await install('--client', 'claude-code');
    const { SessionStart, UserPromptSubmit } = json(path).hooks;

    expect({ code, SessionStart }).toEqual({ code: 0, SessionStart: theirs });
    expect(UserPromptSubmit).toHaveLength(1);
    expect(UserPromptSubmit[0].hooks[0].args).toEqual([PROGRAM.bin, 'hook']);
    expect(err).toContain(
      '.claude/settings.json: a hook runs "cue hook" by way of another program, and was left as it is\n',
    );
    await install('--client', 'claude-code', '--remove');
    expect(json(path).hooks.SessionStart).toEqual(theirs);
  });

  it.each([
    ['an empty object', '{}'],
    ['an empty list of servers', '{ "mcpServers": {} }\n'],
    ['nothing', ''],
    ['a byte order mark', '\ufeff{\r\n}\r\n'],
    [
      'a comma in the comment of the last server',
      '{\n  "mcpServers": {\n    "x": { "command": "x" } // mine, keep\n  }, /* y */ "z": [1 /* p */, 2]\n}\n',
    ],
    [
      'comments',
      '{\n  // mine\n  "mcpServers": {\n    "x": { "command": "x" }, // other\n  },\n}\n',
    ],
  ])('has its bytes again after --remove where it was %s', async (_, text) => {
    const path = write(inProject('.cursor/mcp.json'), text);
    const added = await install('--client', 'cursor');
    const installed = valueAt(readFileSync(path, 'utf8').replace('\ufeff', ''), [
      ...['mcpServers', 'cue'],
    ]);
    const { code, out } = await install('--client', 'cursor', '--remove');

    expect({ added: added.code, code }).toEqual({ added: 0, code: 0 });
    expect(installed).toEqual({ type: 'stdio', ...ABSOLUTE });
    expect(out).toBe(
      '✔ .cursor/mcp.json (cursor): as it was before; .cursor/mcp.json.cue-backup-1 is gone\n',
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(inProject('.cursor'))).toEqual(['mcp.json']);
  });

  it('has its bytes again after --remove also where it was brought up to date in between', async () => {
    const path = write(inProject('.cursor/mcp.json'), '{ "mcpServers": {} }\n');
    await installIn({ bin: '/old/dist/bin/cue.js' }, '--client', 'cursor');
    await install('--client', 'cursor');
    await install('--client', 'cursor', '--remove');

    expect(readFileSync(path, 'utf8')).toBe('{ "mcpServers": {} }\n');
    rmSync(inProject('.cursor'), { recursive: true });
    await installIn({ bin: '/old/dist/bin/cue.js' }, '--client', 'cursor');
    await install('--client', 'cursor');
    const { out } = await install('--client', 'cursor', '--remove');
    expect(out).toContain('deleted, since nothing else was in it');
  });

  it('that came later outlives --remove, and a file with nothing but ours does not', async () => {
    await install('--client', 'cursor');
    const path = inProject('.cursor/mcp.json');
    const shared = json(path);
    shared.mcpServers.other = { command: 'x' };
    writeFileSync(path, JSON.stringify(shared));
    const kept = await install('--client', 'cursor', '--remove');

    expect(kept.out).toContain('changed; as it was: .cursor/mcp.json.cue-backup-1\n');
    expect(json(path)).toEqual({ mcpServers: { other: { command: 'x' } } });
    rmSync(inProject('.cursor'), { recursive: true });
    await install('--client', 'cursor');
    const dry = await install('--client', 'cursor', '--remove', '--dry-run');
    const { out } = await install('--client', 'cursor', '--remove');
    expect(dry.out).toBe(
      '.cursor/mcp.json (cursor): would be deleted, since nothing else is in it\n',
    );
    expect(dry.err).toBe('--dry-run: 1 file would be deleted, and none was\n');
    expect(out).toBe('✔ .cursor/mcp.json (cursor): deleted, since nothing else was in it\n');
    expect(readdirSync(inProject('.cursor'))).toEqual([]);
  });

  it('that was edited after the installation leaves one copy, not two', async () => {
    const path = write(inProject('.cursor/mcp.json'), '{"mcpServers":{"mine":{"command":"x"}}}');
    await install('--client', 'cursor');
    const edited = json(path);
    edited.mcpServers.other = { command: 'y' };
    writeFileSync(path, JSON.stringify(edited));
    await install('--client', 'cursor', '--remove');

    expect(json(path).mcpServers).toEqual({ mine: { command: 'x' }, other: { command: 'y' } });
    const copies = readdirSync(inProject('.cursor')).filter((name) => name !== 'mcp.json');
    expect(copies).toEqual(['mcp.json.cue-backup-2']);
    expect(readFileSync(join(inProject('.cursor'), 'mcp.json.cue-backup-2'), 'utf8')).toBe(
      JSON.stringify(edited),
    );
  });

  it('that would be taken out of one file, and the other deleted, is counted as such', async () => {
    write(inProject('.mcp.json'), '{"mcpServers":{"other":{"command":"x"}}}');
    await install('--client', 'claude-code');
    const { err } = await install('--client', 'claude-code', '--remove', '--dry-run');

    expect(err).toBe(
      '--dry-run: 1 file would be written and 1 file would be deleted, and none was\n',
    );
  });

  it('is shown, and not changed, with --dry-run', async () => {
    const path = write(inProject('.cursor/mcp.json'), '{\n  "mcpServers": {}\n}\n');
    const { code, out, err } = await install('--client', 'cursor', '--dry-run');

    expect(code).toBe(0);
    expect(out).toContain('.cursor/mcp.json (cursor): would be changed\n');
    expect(out).toContain('+ 3:     "cue": {');
    expect(out).toMatch(/\n1 line removed, \d+ lines added\n$/);
    expect(err.replace(/^memory: .*\n/m, '')).toBe(
      'plugin-cue is not installed in this project: the paths hold for this machine only, so do not check them in\n' +
        '--dry-run: 1 file would be written, and none was\n',
    );
    expect(readFileSync(path, 'utf8')).toBe('{\n  "mcpServers": {}\n}\n');
    expect(readdirSync(inProject('.cursor'))).toEqual(['mcp.json']);
  });

  it('is no more to be changed, says --dry-run after it was done', async () => {
    await install('--client', 'cursor');

    expect(await install('--client', 'cursor', '--dry-run')).toEqual({
      code: 0,
      out: '.cursor/mcp.json (cursor): nothing to change\n',
      err: 'nothing would be written\n',
    });
  });

  it('is shown in part only where one line is all of it', async () => {
    const path = write(
      join(home, '.cursor/mcp.json'),
      JSON.stringify({ k: 'secret '.repeat(200) }),
    );
    const { out } = await install('--client', 'cursor', '--scope', 'user', '--dry-run');

    expect(out).toContain(path);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(301);
  });

  it('is changed where a link leads, and the link stays', async () => {
    const real = write(join(root, 'dotfiles/mcp.json'), '{}');
    mkdirSync(join(home, '.cursor'));
    symlinkSync(real, join(home, '.cursor/mcp.json'));
    await install('--client', 'cursor', '--scope', 'user');

    expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true);
    expect(json(real).mcpServers.cue).toEqual({ type: 'stdio', ...ABSOLUTE });
  });

  it('keeps its byte order mark and its line ends', async () => {
    const text = '\ufeff{\r\n  "mcpServers": {}\r\n}\r\n';
    const path = write(inProject('.cursor/mcp.json'), text);
    await install('--client', 'cursor');

    expect(readFileSync(path, 'utf8')).toMatch(/^\ufeff\{\r\n(?: +\S.*\r\n)+\}\r\n$/);
  });
});

describe('what is refused, before any file is written', () => {
  it.each([
    ['no JSON', '{ "hooks": {', 'it is no JSON'],
    ['a list', '[]', 'it is no object'],
    ['hooks of another shape', '{ "hooks": [] }', 'hooks is no object'],
    [
      'an event of another shape',
      '{ "hooks": { "PreToolUse": null } }',
      'hooks.PreToolUse is no list',
    ],
  ])('%s', async (_, text, why) => {
    const path = write(inProject('.claude/settings.json'), text);
    const { code, out, err } = await install('--client', 'claude-code');

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(why);
    expect(err).toContain('.claude/settings.json');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(existsSync(inProject('.mcp.json'))).toBe(false);
  });

  it('another server of our name, which --remove leaves where it is', async () => {
    const text = '{"mcpServers":{"cue":{"command":"cue","args":["lsp"]}}}';
    const path = write(inProject('.cursor/mcp.json'), text);
    const { code, err } = await install('--client', 'cursor');
    const removed = await install('--client', 'cursor', '--remove');

    expect(code).toBe(1);
    expect(err).toBe(
      'cue: .cursor/mcp.json has another server of the name "cue": rename or remove it there, ' +
        'then install again; nothing was written\n',
    );
    expect(removed.out).toContain('nothing to change');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('a file that is write-protected', async () => {
    const path = write(inProject('.cursor/mcp.json'), '{}');
    chmodSync(path, 0o444);
    const { code, out, err } = await install('--client', 'cursor');

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(
      /^cue: \.cursor\/mcp\.json is write-protected, so nothing was written: .*chmod u\+w/,
    );
    expect(readFileSync(path, 'utf8')).toBe('{}');
    expect(statSync(path).mode & 0o777).toBe(0o444);
  });

  it('a folder in place of the file, and a link that leads nowhere', async () => {
    mkdirSync(inProject('.mcp.json'));
    const folder = await install('--client', 'claude-code');
    mkdirSync(inProject('.cursor'));
    symlinkSync(join(root, 'gone/mcp.json'), inProject('.cursor/mcp.json'));
    const link = await install('--client', 'cursor');

    expect([folder.code, link.code]).toEqual([2, 2]);
    expect(folder.err).toBe(`cue: ${inProject('.mcp.json')} is a folder, no file\n`);
    expect(link.err).toBe(`cue: ${inProject('.cursor/mcp.json')} is a link that leads nowhere\n`);
    expect(existsSync(join(root, 'gone'))).toBe(false);
  });

  it('the home folder as a project', async () => {
    const { code, err } = await installIn({ cwd: home }, '--client', 'cursor');

    expect(code).toBe(2);
    expect(err).toContain('--scope user');
  });

  it('a client that is not known', async () => {
    const { code, err } = await install('--client', 'emacs');

    expect(code).toBe(2);
    expect(err).toContain('claude-code, cursor, claude-desktop');
  });
});

describe('a file that cannot be written', () => {
  it('is told beside those that were', async () => {
    installHere();
    write(inProject('.claude'), 'in the way');
    const { code, out, err } = await install('--client', 'claude-code');

    expect(code).toBe(1);
    expect(out).toMatch(
      /^✔ \.mcp\.json \(claude-code\): created\n✘ \.claude\/settings\.json \(claude-code\): .* could not be written: /,
    );
    expect(err.replace(/^memory: .*\n/, '')).toBe(
      'start the client anew, so that it reads this\n1 file could not be written and stayed as before\n',
    );
    expect(json(inProject('.mcp.json')).mcpServers.cue.command).toBe('node');
    const again = await install('--client', 'claude-code', '--json');
    expect(JSON.parse(again.out).files).toMatchObject([
      { change: 'none' },
      { change: 'failed', error: { code: 'UNAVAILABLE' } },
    ]);
  });
});

describe('the memory of the project', () => {
  it('is told, and is its own where that is asked for', async () => {
    installHere();
    const database = inProject('.eliza/.elizadb');
    const shared = await install('--client', 'cursor');
    expect(shared.err).toContain(
      'else ~/.cue/db, which all projects without one of their own share',
    );
    const dry = await install('--client', 'claude-code', '--own-memory', '--dry-run');
    expect(dry.err).toContain(`the memory of this project would be in ${database}`);
    expect(existsSync(database)).toBe(false);
    const own = await install('--client', 'claude-code', '--own-memory');
    expect([own.code, existsSync(database)]).toEqual([0, true]);
    expect(own.err).toContain(`the memory of this project is in ${database}`);
    await install('--client', 'cursor', '--remove');
    const told = await install('--client', 'cursor');
    expect(told.err).toContain(`memory: ${database}\n`);
  });

  it('is not taken away by --remove, which says so', async () => {
    const { code, err } = await install('--remove', '--own-memory');
    expect([code, err]).toEqual([2, expect.stringContaining('leave --own-memory out')]);
  });
});
