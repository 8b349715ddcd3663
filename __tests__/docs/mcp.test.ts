/** docs/mcp.md against what is. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { invocationsOf, serverEntry } from '../../src/surfaces/cli/install/clients.js';
import { toolsOf } from '../../src/surfaces/mcp/tools.js';
import { TOOL_CHOICES } from '../../src/surfaces/mcp-client.js';
import { pageOf } from './page.js';

const page = pageOf('mcp');

/** A project in which the package is installed. */
const project = mkdtempSync(join(tmpdir(), 'cue-docs-'));
const bin = join(project, 'node_modules/plugin-cue/dist/bin/cue.js');
mkdirSync(dirname(bin), { recursive: true });
writeFileSync(bin, '');
afterAll(() => rmSync(project, { recursive: true }));

const program = () => ({ node: '/usr/bin/node', bin, name: 'plugin-cue' });
const machine = () => ({ project, cwd: project, platform: 'linux' as const, env: {} });

describe('docs/mcp.md', () => {
  it('has the tools that are shown by default in one table, and then the others', () => {
    const [ofOne = '', ofGroups = ''] = page.split(/^\| group \| tools \|$/m);
    const inOne = [...ofOne.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, group]) => ({
      name,
      group,
    }));
    const inGroups = [...ofGroups.matchAll(/^\| (\w+) \| (`.+) \|$/gm)].flatMap(
      ([, group, tools = '']) =>
        [...tools.matchAll(/(?<=^|, )`(\w+)`/g)].map(([, name]) => ({ name, group })),
    );
    const [shown, others] = [true, false].map((wanted) =>
      toolsOf(['all'])
        .filter(({ isDefault }) => isDefault === wanted)
        .map(({ name, group }) => ({ name, group })),
    );
    expect(inOne).toEqual(shown);
    const sorted = (tools: object[] = []) => tools.map((tool) => JSON.stringify(tool)).sort();
    expect(sorted(inGroups)).toEqual(sorted(others));
  });

  it('names groups that there are', () => {
    const groups = new Set(toolsOf(['all']).map(({ group }) => group));
    expect([...groups].every((group) => TOOL_CHOICES.includes(group))).toBe(true);
  });
});

/** In the order of the clients. */
describe('its entries for clients', () => {
  const text = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
  const [claudeCode, cursor, desktop] = [...text.matchAll(/^\s*(\{ "mcpServers": .*)$/gm)].map(
    ([, json = '']) => JSON.parse(json).mcpServers.cue,
  );

  it.each([
    ['claude-code', claudeCode],
    ['cursor', cursor],
  ] as const)('has for %s what install writes', (client, entry) => {
    const { server } = invocationsOf(client, 'project', machine(), program());
    expect(entry).toEqual(serverEntry(client, server));
  });

  it('has for claude-desktop what install writes, with another path', () => {
    const { server } = invocationsOf('claude-desktop', 'user', machine(), program());
    const { args } = serverEntry('claude-desktop', server) as Record<string, string[]>;
    expect(desktop).toEqual({
      command: 'node',
      args: args?.map((arg) => arg.replace(project, '/path/to/project')),
    });
  });
});
