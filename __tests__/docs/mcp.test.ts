/** docs/mcp.md against what is. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toolsOf } from '../../src/surfaces/mcp/tools/index.js';
import { TOOL_CHOICES } from '../../src/surfaces/tool-groups.js';

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');

describe('docs/mcp.md', () => {
  it('has every tool with its group, and says which are shown', () => {
    const told = [...page.matchAll(/^\| `(\w+)` \| (\w+)(, not shown by default)? \|/gm)].map(
      ([, name, group, hidden]) => ({ name, group, isDefault: hidden === undefined }),
    );
    const are = toolsOf(['all']).map(({ name, group, isDefault }) => ({ name, group, isDefault }));
    expect(told).toEqual(are);
  });

  it('has a configuration that is JSON and starts the program', () => {
    const [, text = ''] = /<!-- config: claude-code -->\n```json\n([\s\S]*?)```/.exec(page) ?? [];
    expect(JSON.parse(text)).toEqual({
      mcpServers: { cue: { command: 'npx', args: ['--no-install', 'cue', 'mcp'] } },
    });
  });

  it('names groups that there are', () => {
    const groups = new Set(toolsOf(['all']).map(({ group }) => group));
    expect([...groups].every((group) => TOOL_CHOICES.includes(group))).toBe(true);
  });
});
