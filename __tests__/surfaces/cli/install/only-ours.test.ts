import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/surfaces/cli/install/clients.js';
import {
  commentsIn,
  editedOnlyOurs,
  valueAt,
  withoutOurHooks,
  withoutOurServer,
  withoutServer,
  withServer,
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

/** As people write it: comments and line ends anywhere, the comma behind the last item only sometimes. */
function written(value: Json, draw: () => number): string {
  const gap = (): string => GAPS[draw() % GAPS.length] ?? '';
  const list = (open: string, parts: string[], close: string) => {
    const last = parts.length > 0 && draw() % 3 === 0 ? `,${gap()}` : '';
    return `${open}${gap()}${parts.join(`${gap()},${gap()}`)}${gap()}${last}${close}`;
  };
  if (Array.isArray(value)) {
    return list(
      '[',
      value.map((item: Json) => written(item, draw)),
      ']',
    );
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}${gap()}:${gap()}${written(member, draw)}`,
  );
  return list('{', members, '}');
}

const GAPS = [
  ...['', '', '', '', ' ', '\n', '\n  ', '\r\n\t', '\r', ' // mine, keep\n', '//}\r\n  '],
  ...[' // https://x.y/?a,b "\n', '/* , */', ' /* ] }\n, */ ', '/**/', '\n/*/ "q */\n', '/*\\*/'],
];

describe('any document', () => {
  const key = fc.constantFrom('a', 'b', 'c"', '7', '\u2028');
  const { document } = fc.letrec<{ value: Json; document: { [key: string]: Json } }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, true, -1.5e3, '', '}],"\\', [], {}),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('document'),
    ),
    document: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }));

  it('gains and loses our server and keeps all else, its comments too, or is left as it is', () => {
    const drawn = fc.array(fc.nat(1_000), { minLength: 40, maxLength: 60 });
    const server = { command: 'node', args: ['cue.js', 'mcp'] };
    let done = 0;
    fc.assert(
      fc.property(document, drawn, (others, numbers) => {
        let at = 0;
        const draw = () => numbers[at++ % numbers.length] ?? 0;
        const text = `${GAPS[draw() % GAPS.length]}${written({ mcpServers: others }, draw)}`;
        try {
          const out = withServer(text, 'cursor', server, 'f');
          expect(valueAt(out, [])).toMatchObject({ mcpServers: { cue: server } });
          const left = withoutServer(out, 'f');
          for (const each of [out, left]) {
            expect(withoutOurServer(valueAt(each, []))).toEqual({ mcpServers: others });
            expect(commentsIn(each)).toEqual(commentsIn(text));
          }
          expect(valueAt(left, ['mcpServers', 'cue'])).toBeUndefined();
          done += 1;
        } catch (error) {
          expect(String(error)).toContain('f was left as it is');
        }
      }),
      { seed: 10, numRuns: 400 },
    );
    expect(done).toBeGreaterThan(300);
  });

  it('may be as long as a file may, as strings may', () => {
    const long = 'x'.repeat(12_000_000);
    const out = withServer(
      `{ "a": "${long}", /*${long}*/ }`,
      'cursor',
      { command: 'cue', args: ['mcp'] },
      'f',
    );

    expect(String(valueAt(out, ['a']))).toHaveLength(12_000_000);
  });
});
