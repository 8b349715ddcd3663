import { describe, expect, it } from 'vitest';
import {
  editedOnlyOurs,
  withoutOurHooks,
  withoutOurServer,
} from '../../../../src/surfaces/cli/install/merge.js';

const text = '{ "mcpServers": { "x": 1 }, "y": [1] }';
const ours = '"cue": { "command": "cue", "args": ["mcp"] }';

/** Once, as edits do that find theirs in place. */
function edited(to: string, rest = withoutOurServer): string {
  const edit = (before: string) => (before === text ? to : before);
  return editedOnlyOurs(text, { edit, rest, shown: '.mcp.json' });
}

describe('an edit of what is ours', () => {
  it('is taken where nothing else differs', () => {
    const server = text.replace('1 }', `1, ${ours} }`);
    const hook = text.replace(
      '[1]',
      '[1], "hooks": { "A": [{ "hooks": [{ "command": "cue hook" }] }] }',
    );

    expect(edited(server)).toBe(server);
    expect(edited(hook, withoutOurHooks)).toBe(hook);
    expect(edited(text)).toBe(text);
  });

  it.each([
    ['is no JSON any more', `${text},`],
    ['has lost a server', `{ "mcpServers": { ${ours} }, "y": [1] }`],
    ['has got into another list', text.replace('[1]', `[1, { ${ours} }]`)],
    ['has another key', text.replace('"y"', '"yy"')],
  ])('is refused where the document %s', (_, to) => {
    const message =
      '.mcp.json was left as it is: it is written in a way that cannot be changed safely, so change it by hand';

    expect(() => edited(to)).toThrow(message);
    expect(() => edited(to, withoutOurHooks)).toThrow(message);
  });

  it('is refused where it would be done again, as in a comment, and where it fails', () => {
    const again = (before: string) => before.replace('}', `/* ${ours} */ }`);
    const fails = () => {
      throw new SyntaxError('x');
    };
    const of = (edit: (before: string) => string) => () =>
      editedOnlyOurs(text, { edit, rest: withoutOurServer, shown: 'f' });

    expect(of(again)).toThrow('f was left as it is');
    expect(of(fails)).toThrow('f was left as it is');
  });

  it('may not touch the hooks of others', () => {
    const before =
      '{ "hooks": { "A": [{ "hooks": [{ "command": "./x" }, { "command": "cue hook" }] }] } }';
    const of = (after: string) => () =>
      editedOnlyOurs(before, {
        edit: () => after,
        rest: withoutOurHooks,
        shown: 'f',
      });

    expect(of('{ "hooks": { "A": [{ "hooks": [{ "command": "./x" }] }] } }')).not.toThrow();
    expect(of('{ "hooks": { "A": [] } }')).toThrow('f was left as it is');
  });
});
