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
import { where } from '../../../helpers/where.js';

const PROGRAM = {
  node: '/opt/node/bin/node',
  bin: '/opt/cue/dist/bin/cue.js',
  name: 'elizaos-plugin-cue',
};
const ABSOLUTE = { command: PROGRAM.node, args: [PROGRAM.bin, 'mcp'] };
const INSTALLED = 'node_modules/elizaos-plugin-cue/dist/bin/cue.js';
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
        cue: { type: 'stdio', command: 'npx', args: ['--no-install', 'cue', 'mcp'] },
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

describe('cue mcp install where the package lies elsewhere', () => {
  it('writes paths of this machine into a project, and says so', async () => {
    const { err } = await install('--client', 'claude-code', '--no-hooks');

    expect(json(inProject('.mcp.json')).mcpServers.cue).toEqual({ type: 'stdio', ...ABSOLUTE });
    expect(err).toContain('elizaos-plugin-cue is not installed in this project');
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
    const bin = '/home/ada/.npm/_npx/1/node_modules/elizaos-plugin-cue/dist/bin/cue.js';
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
    expect(readFileSync(inProject('.mcp.json'), 'utf8')).toBe('{}\n');
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
      command: 'npx',
      args: ['--no-install', 'cue', 'mcp'],
      env: { CUE_MCP_TOOLS: 'all' },
    });
    expect(SessionStart[0]).toEqual({ matcher: 'startup', hooks: [hooks[1]] });
    expect(SessionStart[1].hooks[0].args).toEqual([`${PROJECT}/${INSTALLED}`, 'hook']);
    expect(SessionStart).toHaveLength(2);
  });

  it('is shown, and not changed, with --dry-run', async () => {
    const path = write(inProject('.cursor/mcp.json'), '{\n  "mcpServers": {}\n}\n');
    const { code, out, err } = await install('--client', 'cursor', '--dry-run');

    expect(code).toBe(0);
    expect(out).toContain('.cursor/mcp.json (cursor):\n');
    expect(out).toContain('+ 3:     "cue": {');
    expect(out).toMatch(/\n1 line removed, \d+ lines added\n$/);
    expect(err).toContain('--dry-run');
    expect(readFileSync(path, 'utf8')).toBe('{\n  "mcpServers": {}\n}\n');
    expect(readdirSync(inProject('.cursor'))).toEqual(['mcp.json']);
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
    ['comments', '{\n  // mine\n  "hooks": {}\n}', 'no plain JSON'],
    ['a comma too many', '{ "hooks": {}, }', 'no plain JSON'],
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
    expect(err).toContain('another server');
    expect(removed.out).toContain('nothing to change');
    expect(readFileSync(path, 'utf8')).toBe(text);
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
