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
});

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
