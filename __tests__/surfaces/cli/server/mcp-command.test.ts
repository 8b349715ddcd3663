/** `cue mcp`: its own words; what it does is in ../mcp/stdio.test.ts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeProject, type Project } from '../cue.js';

let project: Project;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project.remove());

it('explains itself, its groups of tools and its installation', async () => {
  const { code, out } = await project.cue('mcp', '--help');
  expect(code).toBe(0);
  expect(out).toContain('Groups of tools: default, all, memory, hints, when, offers, triggers');
  expect(out).toMatch(/install .*write the configuration of a client/);
});

it.each([[['--tools', 'memory,magic']], [['--port', '0']], [['--unheard-of']]])(
  'refuses what it does not know: %s',
  async (args) => {
    const { code, out, err } = await project.cue('mcp', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(args.at(0));
  },
);

it('names the groups of the environment that there are not', async () => {
  const { code, err } = await project.cueWith({ env: { CUE_MCP_TOOLS: 'magic' } }, 'mcp');
  expect(code).toBe(2);
  expect(err).toContain('not "magic"');
});
