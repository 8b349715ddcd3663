import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Json,
  valueAt,
  withoutValue,
  withValue,
} from '../../../../src/surfaces/cli/install/json-text.js';

describe('a member that is set', () => {
  it('comes last, in the indentation that is there, and nothing else changes', () => {
    const text = '{\n\t"b": 1.50,\n\n\t"a": {"x":[1,2]}\n}\n';

    expect(withValue(text, ['c', 'd'], { e: ['f', 1], g: {} })).toBe(
      '{\n\t"b": 1.50,\n\n\t"a": {"x":[1,2]},\n\t"c": {\n\t\t"d": {\n\t\t\t"e": ["f", 1],\n\t\t\t"g": {}\n\t\t}\n\t}\n}\n',
    );
  });

  it('keeps what no parser would give back', () => {
    const text =
      '{\n  "10": 12345678901234567890,\n  "2": 1e999,\n  "\\u0061": "\\/",\n  "__proto__": []\n}';
    const out = withValue(text, ['x'], true);

    expect(out).toBe(text.replace('[]\n', '[],\n  "x": true\n'));
    expect(withoutValue(out, ['x'])).toBe(text);
  });

  it('replaces a value in its place', () => {
    const text = '{\n    "a": { "b": [1, 2] },\n    "c": 3\n}';

    expect(withValue(text, ['a', 'b', 1], 'two')).toBe(text.replace('2]', '"two"]'));
    expect(withValue(text, ['c'], { d: 4 })).toBe(text.replace('3', '{\n        "d": 4\n    }'));
  });

  it('stays in the line where all stands in one', () => {
    expect(withValue('{"a":[]}', ['a', 0], { b: 1 })).toBe('{"a":[{"b":1}]}');
    expect(withValue('{ "a": 1 }', ['b'], [2])).toBe('{ "a": 1, "b": [2] }');
    expect(withValue('{\n  "a": { "b": 1 }\n}', ['a', 'c'], 2)).toBe(
      '{\n  "a": { "b": 1, "c": 2 }\n}',
    );
  });

  it('opens up an empty document, and what is empty in a long one', () => {
    expect(withValue('{}\n', ['a'], 1)).toBe('{\n  "a": 1\n}\n');
    expect(withValue('{\n  "a": []\n}', ['a', 0], { b: 1 })).toBe(
      '{\n  "a": [\n    {\n      "b": 1\n    }\n  ]\n}',
    );
  });

  it('has the line ends of the text', () => {
    expect(withValue('{\r\n  "a": 1\r\n}\r\n', ['b', 'c'], 2)).toBe(
      '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 2\r\n  }\r\n}\r\n',
    );
  });

  it('counts as every reader does, where a key stands twice', () => {
    const text = '{"a":1,"a":{"b":2}}';

    expect(valueAt(text, ['a', 'b'])).toBe(2);
    expect(withValue(text, ['a', 'b'], 3)).toBe('{"a":1,"a":{"b":3}}');
  });
});

describe('a member that is taken out', () => {
  it('takes its comma along, wherever it stands', () => {
    const text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n';

    expect(withoutValue(text, ['a'])).toBe('{\n  "b": 2,\n  "c": 3\n}\n');
    expect(withoutValue(text, ['b'])).toBe('{\n  "a": 1,\n  "c": 3\n}\n');
    expect(withoutValue(text, ['c'])).toBe('{\n  "a": 1,\n  "b": 2\n}\n');
    expect(withoutValue('{\n  "a": 1\n}\n', ['a'])).toBe('{}\n');
    expect(withoutValue('[1, 2, 3]', [1])).toBe('[1, 3]');
  });

  it('changes nothing where there is none', () => {
    expect(withoutValue('{ "a": [1] }', ['a', 1])).toBe('{ "a": [1] }');
    expect(withoutValue('{ "a": 1 }', ['b', 'c'])).toBe('{ "a": 1 }');
  });
});

describe('comments, and a comma behind the last item', () => {
  const text = '{\n  // first\n  "a": 1, // about a, and "b"\n  /* b */\n  "b": "//", // last\n}\n';

  it('are no part of what is read', () => {
    expect(valueAt(text, [])).toEqual({ a: 1, b: '//' });
    expect(valueAt('{ "a": [1, 2, /* 3 */], }', ['a'])).toEqual([1, 2]);
    expect(() => valueAt('{ "a": 1 /* }', [])).toThrow(SyntaxError);
  });

  it('stay where something is added', () => {
    expect(withValue(text, ['c'], 2)).toBe(text.replace('// last\n', '// last\n  "c": 2,\n'));
    expect(withValue('{\n  "a": 1 // one\n}', ['b'], 2)).toBe('{\n  "a": 1, // one\n  "b": 2\n}');
    expect(withValue('{\n  // none yet\n}', ['b'], 2)).toBe('{\n  // none yet\n  "b": 2\n}');
    expect(withValue('{ "a": [1,], }', ['a', 1], 2)).toBe('{ "a": [1, 2,], }');
  });

  it('stay where something goes', () => {
    const added = withValue(text, ['c'], 2);

    expect(withoutValue(added, ['c'])).toBe(text);
    expect(withoutValue(text, ['a'])).toBe(
      '{\n  // first\n  // about a, and "b"\n  /* b */\n  "b": "//", // last\n}\n',
    );
    expect(valueAt(withoutValue(text, ['b']), [])).toEqual({ a: 1 });
    expect(withoutValue(text, ['b'])).toContain('// about a, and "b"\n  /* b */');
    expect(withoutValue('{\n  "a": 1, // one\n  "b": 2 }', ['b'])).toBe('{\n  "a": 1 // one\n }');
    expect(withoutValue('{\n  // alone\n  "a": 1\n}', ['a'])).toBe('{\n  // alone\n}');
  });

  it.each([
    [
      'a comma in the comment on the last member',
      '{\n  "a": { "b": 1 } // mine, keep\n}\n',
      '{\n  "a": { "b": 1 }, // mine, keep\n  "new": 2\n}\n',
    ],
    [
      'an address in it',
      '{\n  "a": 1\n  // see https://x.y/?a,b\n}\n',
      '{\n  "a": 1,\n  "new": 2\n  // see https://x.y/?a,b\n}\n',
    ],
    [
      'a comment on a bracket and a later one',
      '{\n  "m": {\n    "a": {} /* first */\n  }, /* then */\n  "z": [1 /* p */, 2]\n}\n',
      '{\n  "m": {\n    "a": {} /* first */\n  }, /* then */\n  "z": [1 /* p */, 2],\n  "new": 2\n}\n',
    ],
    [
      'two comments on the bracket in one line',
      '{\n  "a": 1 /* x */ } /* y */\n',
      '{\n  "a": 1,\n  "new": 2 /* x */ } /* y */\n',
    ],
    ['a line that ends without a line feed', '{ // c\r }', '{ // c\n  "new": 2\n}'],
  ])('mislead nobody: %s', (_, before, after) => {
    expect(withValue(before, ['new'], 2)).toBe(after);
    expect(valueAt(withoutValue(after, ['new']), [])).toEqual(valueAt(before, []));
  });

  it('nor does one inside of a member that is set', () => {
    const nested =
      '{\n  "m": {\n    "a": {} /* first */\n  }, /* then */\n  "z": [1 /* p */, 2]\n}\n';

    expect(valueAt(withValue(nested, ['m', 'b'], 3), [])).toEqual({
      m: { a: {}, b: 3 },
      z: [1, 2],
    });
    expect(valueAt(withoutValue(nested, ['m', 'a']), [])).toEqual({ m: {}, z: [1, 2] });
  });

  it('are none where a comma stands alone', () => {
    expect(() => valueAt('{ , }', [])).toThrow(SyntaxError);
    expect(() => valueAt('[1,,]', [])).toThrow(SyntaxError);
  });

  it('may be as long as a file may, as strings may', () => {
    const long = 'x'.repeat(12_000_000);
    const out = withValue(`{ "a": "${long}", /*${long}*/ }`, ['b'], 1);

    expect(String(valueAt(out, ['a']))).toHaveLength(12_000_000);
    expect(valueAt(out, ['b'])).toBe(1);
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
  const space = fc.constantFrom(undefined, 1, 2, '\t');

  it('gains the member, and loses it without a trace', () => {
    fc.assert(
      fc.property(document, document, space, (before, added, indent) => {
        const text = JSON.stringify(before, null, indent);
        const out = withValue(text, ['new', 'er'], added);

        expect(JSON.parse(out)).toEqual({ ...before, new: { er: added } });
        expect(JSON.parse(withoutValue(out, ['new']))).toEqual(before);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('keeps every comment, wherever they stand', () => {
    const comment = fc.constantFrom('', ' // "x", y', ' /* }, */', '\n// ]\n');
    fc.assert(
      fc.property(document, fc.array(comment, { minLength: 9 }), (before, comments) => {
        let at = 0;
        const text = JSON.stringify(before, null, 2)
          .replace(/(?<=[^\s{[,])(?=\n\s*[}\]])/g, ',')
          .replace(/\n/g, () => `${comments[at++ % comments.length]}\n`);
        const said = (of: string) => of.match(/\/\/ "x", y|\/\* \}, \*\/|\/\/ \]/g) ?? [];
        const out = withValue(text, ['new', 'er'], 1);

        expect(valueAt(out, [])).toEqual({ ...before, new: { er: 1 } });
        expect(said(out)).toEqual(said(text));
        expect(valueAt(withoutValue(out, ['new']), [])).toEqual(before);
        expect(said(withoutValue(out, ['new']))).toEqual(said(text));
        for (const [name] of Object.entries(before)) {
          const { [name]: _, ...rest } = before;
          expect(valueAt(withoutValue(text, [name]), [])).toEqual(rest);
        }
      }),
      { seed: 9, numRuns: 200 },
    );
  });

  it('is changed at the one place alone, however it is written', () => {
    const drawn = fc.array(fc.nat(1_000), { minLength: 40, maxLength: 60 });
    fc.assert(
      fc.property(document, drawn, (before, numbers) => {
        let at = 0;
        const draw = () => numbers[at++ % numbers.length] ?? 0;
        const text = `${GAPS[draw() % GAPS.length]}${written(before, draw)}`;
        const out = withValue(text, ['new', 'er'], [1, { x: 2 }]);

        expect(valueAt(text, [])).toEqual(before);
        expect(valueAt(out, [])).toEqual({ ...before, new: { er: [1, { x: 2 }] } });
        expect(valueAt(withoutValue(out, ['new']), [])).toEqual(before);
        for (const [name, value] of Object.entries(before)) {
          const { [name]: _, ...rest } = before;
          expect(valueAt(withoutValue(text, [name]), [])).toEqual(rest);
          if (Array.isArray(value)) {
            const more = withValue(text, [name, value.length], { y: 1 });
            expect(valueAt(more, [])).toEqual({ ...before, [name]: [...value, { y: 1 }] });
            for (const index of value.keys()) {
              const left = valueAt(withoutValue(text, [name, index]), [name]);
              expect(left).toEqual(value.toSpliced(index, 1));
            }
          } else if (typeof value === 'object' && value !== null) {
            const more = withValue(text, [name, 'more'], 1);
            expect(valueAt(more, [])).toEqual({ ...before, [name]: { ...value, more: 1 } });
          }
        }
      }),
      { seed: 10, numRuns: 400 },
    );
  });

  it('reads at each path as a parser does', () => {
    fc.assert(
      fc.property(document, space, (before, indent) => {
        const text = JSON.stringify(before, null, indent);
        for (const [name, value] of Object.entries(before)) {
          expect(valueAt(text, [name])).toEqual(value);
          const { [name]: _, ...rest } = before;
          expect(JSON.parse(withoutValue(text, [name]))).toEqual(rest);
          expect(JSON.parse(withValue(text, [name], 'x'))).toEqual({ ...before, [name]: 'x' });
        }
      }),
      { seed: 8, numRuns: 200 },
    );
  });
});
