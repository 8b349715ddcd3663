import { describe, expect, it } from 'vitest';
import { printedRecall, readReference } from '../../../src/memory/recall/reference.js';
import { readRequest } from '../../../src/memory/recall/request.js';
import { InvalidInputError } from '../../../src/shared/errors.js';

describe('the short string of a recall', () => {
  it.each([
    ['file:auth.ts', { file: 'auth.ts' }],
    ['file: src/auth.ts ', { file: 'src/auth.ts' }],
    ['mem_1f2e3d4c', { memory_id: 'mem_1f2e3d4c' }],
    ['MEM_1F2E3D4C', { memory_id: 'MEM_1F2E3D4C' }],
    ['6f1d9c0e-6f0a-5d52-9a55-c0e000000001', { memory_id: '6f1d9c0e-6f0a-5d52-9a55-c0e000000001' }],
    ['session:last', { session: 'last' }],
    ['pattern:api_endpoint', { pattern: 'api_endpoint' }],
    ['intent:add retries to the client', { intent: 'add retries to the client' }],
    ['task:bug_fix', { task_type: 'bug_fix' }],
    ['tag:jwt', { tags: ['jwt'] }],
    ['what broke yesterday?', { query: 'what broke yesterday?' }],
    ['https://example.org', { query: 'https://example.org' }],
    ['note:', { query: 'note:' }],
    ['recall("file:auth.ts", depth: "reasoning")', { file: 'auth.ts', depth: 'reasoning' }],
    ["recall('mem_1f2e3d4c')", { memory_id: 'mem_1f2e3d4c' }],
    [
      'recall(“session:last”, depth: “full”, limit: 3, include_links: true);',
      { session: 'last', depth: 'full', limit: 3, include_links: true },
    ],
    ['recall("intent:say (twice), please", limit=2)', { intent: 'say (twice), please', limit: 2 }],
  ])('%s', (text, fields) => {
    expect(readReference(text)).toEqual(fields);
  });

  it.each([
    'mem_',
    'mem_1',
    'MEM_1F2E3D4',
    'mem_1f2e3d…',
    'mem_1f2e3d4c1f2e3d4c1f2e3d4c1f2e3d4c5',
    'recall("mem_1")',
    'recall("',
    'recall("file:auth.ts',
    'file:',
    'Tag: ',
    'recall("session:")',
    'recall("file:auth.ts", depth: "rea',
    'recall(file:auth.ts)',
  ])('%s is cut off or misspelt, and not searched for as words', (text) => {
    const error = (() => {
      try {
        return readRequest({ ref: text });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(InvalidInputError);
    const [finding] = (error as InvalidInputError).findings;
    expect(finding?.field).toBe('ref');
    expect(finding?.message).toContain('mem_ and at least 8 hex digits');
    expect(finding?.text).toMatch(/^The reference is not complete/);
  });

  it.each(['mem_alloc', 'mem_1 is too short', 'recall of the product', 'Recall (the movie)'])(
    '%s is words',
    (text) => {
      expect(readReference(text)).toEqual({ query: text });
    },
  );

  it('what is printed is read back', () => {
    for (const ref of ['file:src/a b.ts', 'mem_1f2e3d4c', 'intent:fix "quoted" things']) {
      const line = printedRecall(ref, 'reasoning');
      expect(readReference(line)).not.toHaveProperty('query', line);
      expect(readReference(line)).toEqual({
        ...readReference(ref.replaceAll('"', "'")),
        depth: 'reasoning',
      });
    }
  });
});

describe('a recall request', () => {
  it('a string and an object with a reference say the same', () => {
    expect(readRequest('file:auth.ts')).toEqual(readRequest({ ref: 'file:auth.ts' }));
    expect(readRequest({ scope: 'file', target: 'auth.ts' })).toEqual(readRequest('file:auth.ts'));
  });

  it('what stands beside a reference wins over what it says', () => {
    const request = readRequest({ ref: 'recall("file:a.ts", depth: "full")', depth: 'summary' });
    expect(request).toMatchObject({ file: 'a.ts', depth: 'summary', limit: 5 });
  });

  it('says in plain words what cannot be combined with a reference', () => {
    expect(() => readRequest({ ref: 'tag:auth', tags: ['login'] })).toThrow(
      'tags: cannot be combined with the reference "tag:auth": leave one of them out',
    );
  });

  it.each([
    [{}, '(body)'],
    [{ depth: 'full' }, '(body)'],
    [{ query: '' }, 'query'],
    [{ query: 'x', limit: 0 }, 'limit'],
    [{ query: 'x', limit: 101 }, 'limit'],
    [{ query: 'x', depth: 'deep' }, 'depth'],
    [{ query: 'x', colour: 'red' }, 'colour'],
    [{ scope: 'file' }, 'target'],
    [{ target: 'auth.ts' }, 'scope'],
    [{ scope: 'task', target: 'gardening' }, 'task_type'],
    [{ query: 'x', success_only: true, failures_only: true }, 'failures_only'],
    [{ query: 'x', failures_only: true, include_failures: false }, 'include_failures'],
    [{ since: '2026-11-02T00:00:00Z', before: '2026-11-01T00:00:00Z' }, 'before'],
    [{ since: 'yesterday' }, 'since'],
    [{ file: '../../etc/passwd' }, 'file'],
    [{ ref: 'login', query: 'zzz' }, 'query'],
    [{ scope: 'file', target: 'a.ts', file: 'b.ts' }, 'file'],
    [{ ref: 'recall("x", tempo: "fast")' }, 'tempo'],
    [7, '(body)'],
    [null, '(body)'],
  ])('%j is refused and %s is named', (input, field) => {
    let error: unknown;
    try {
      readRequest(input);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as InvalidInputError).findings.map((found) => found.field)).toContain(field);
  });
});
