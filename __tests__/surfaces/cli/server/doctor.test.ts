/** `cue doctor` and `cue open`, against a real agent and where there is none. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../helpers/free-port.js';
import { type Served, startServed } from '../served.js';

let served: Served;
let home: string;
beforeAll(async () => {
  served = await startServed();
  home = join(served.root, 'home');
  mkdirSync(home);
});
afterAll(() => served.stop());

const doctor = (...flags: string[]) => served.cueWith({ env: { HOME: home } }, 'doctor', ...flags);
const port = (): number => JSON.parse(served.read('pids/server.pid')).port;

describe('cue doctor', () => {
  it('finds server, database, model and embedder, and what is not used', async () => {
    const { code, out, err } = await doctor();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^✓ server: Eliza server, process \d+, port \d+, agent .+\n✓ database: .+ \(0 memories, index ready\)\n✓ model: .+\n✓ embedder: lexical-v1\n/,
    );
    expect(out).toContain(
      '– mcp (claude-code): not used here\n– hooks (claude-code): not used here\n',
    );
    expect(out).toContain('– mcp (cursor): not used here\n– mcp (claude-desktop): not used here\n');
  });

  it('says of a client that is used how it is set up, and of one that is not well how it is mended', async () => {
    mkdirSync(join(home, '.claude'));
    const install = ['mcp', 'install', '--client', 'claude-code'];
    expect((await doctor()).out).toContain(
      '– hooks (claude-code): not set up\n    cue mcp install --client claude-code --scope project\n',
    );
    expect((await served.cueWith({ env: { HOME: home } }, ...install)).code).toBe(0);
    const well = await doctor();
    expect(well.code).toBe(0);
    expect(well.out).toContain(
      '✓ mcp (claude-code): .mcp.json\n✓ hooks (claude-code): .claude/settings.json\n',
    );
    served.write(
      '.mcp.json',
      served.read('.mcp.json').replace(/"[^"]*cue\.js"/, '"/old/bin/cue.js"'),
    );
    const old = await doctor();
    expect(old.code).toBe(1);
    expect(old.out).toContain(
      '✗ mcp (claude-code): .mcp.json is of another version or folder\n' +
        '    cue mcp install --client claude-code --scope project\n',
    );
    expect((await served.cueWith({ env: { HOME: home } }, ...install)).code).toBe(0);
    expect((await doctor()).code).toBe(0);
    served.write('.mcp.json', '{ no json');
    const broken = await doctor();
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(
      /✗ mcp \(claude-code\): .*\.mcp\.json.*\n {4}cue mcp install .* --dry-run\n/,
    );
    expect((await served.cueWith({ env: { HOME: home } }, ...install, '--remove')).code).not.toBe(
      0,
    );
    served.write('.mcp.json', '{}');
  });

  it('says how a server is started where there is none, and what cannot be known without', async () => {
    const closed = String(await freePort());
    const { code, out, err } = await doctor('-p', closed);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain(`✗ server: nothing listens at http://127.0.0.1:${closed}: `);
    expect(out).toContain(
      '\n    nudge serve\n– database: unknown, since no server of ours has answered\n',
    );
  });

  it('says that nothing may run, which is as its owner wishes, and how that is undone', async () => {
    await served.cue('autonomy', 'off');
    const { code, out } = await doctor();
    await served.cue('autonomy', 'on');
    expect(code).toBe(0);
    expect(out).toMatch(/\n– model: .+ switched off: .+\n {4}cue autonomy on\n/);
  });

  it('is one document with --json', async () => {
    const { code, out } = await doctor('--json');
    const { ok, checks } = JSON.parse(out);
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(checks[0]).toEqual({ name: 'server', state: 'ok', message: expect.any(String) });
    expect(JSON.parse((await doctor('--json', 'ok')).out)).toEqual({ ok: true });
  });
});

describe('cue open', () => {
  const address = () =>
    `http://127.0.0.1:${port()}/cue/panel?agentId=${served.agent.runtime.agentId}\n`;

  it('prints where the panel is, and opens nothing where that is all', async () => {
    expect(await served.cue('open', '--print')).toEqual({ code: 0, out: address(), err: '' });
  });

  it.runIf(process.platform === 'linux')('opens it with what the system has', async () => {
    const bin = join(served.root, 'bin');
    mkdirSync(bin);
    const env = { PATH: bin };
    expect(await served.cueWith({ env }, 'open')).toEqual({
      code: 0,
      out: address(),
      err: 'no browser could be opened: open it yourself\n',
    });
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > '${served.root}/opened'\n`);
    chmodSync(join(bin, 'xdg-open'), 0o755);
    expect(await served.cueWith({ env }, 'open')).toEqual({ code: 0, out: address(), err: '' });
    expect(existsSync(join(served.root, 'opened'))).toBe(true);
    expect(served.read('opened')).toBe(address());
  });

  it.runIf(process.platform === 'linux')(
    'opens it with the program that BROWSER names',
    async () => {
      const program = join(served.root, 'my browser');
      writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${served.root}/browsed'\n`);
      chmodSync(program, 0o755);
      for (const flags of ['', ' --new-window "a  b"']) {
        const env = { PATH: process.env.PATH ?? '', BROWSER: `'${program}'${flags}` };
        expect(await served.cueWith({ env }, 'open')).toEqual({ code: 0, out: address(), err: '' });
        const said = flags === '' ? '' : '--new-window\na  b\n';
        expect(served.read('browsed')).toBe(said + address());
      }
      const env = { PATH: process.env.PATH ?? '', BROWSER: join(served.root, 'none') };
      expect((await served.cueWith({ env }, 'open')).err).toContain('no browser could be opened');
    },
  );

  it('says how to start a server where there is none', async () => {
    const { code, out, err } = await served.cue('open', '-p', String(await freePort()));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('start a server with "nudge serve"');
  });
});
