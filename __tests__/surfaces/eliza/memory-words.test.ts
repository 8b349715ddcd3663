import { describe, expect, it } from 'vitest';
import {
  forgetSubject,
  linksToItself,
  memoryIds,
  readDraftText,
  readLink,
  readNote,
  recallSubject,
  synthesisSubject,
} from '../../../src/surfaces/eliza/memory-words.js';
import { expectQuick } from '../../helpers/quick.js';

describe('words about memories', () => {
  it.each([
    [
      'remember that the login bug came from an expired token',
      'the login bug came from an expired token',
    ],
    ['Please note: use pnpm here', 'use pnpm here'],
    ['can you store in memory that CI needs node 20', 'CI needs node 20'],
    ["don't forget that staging is in Frankfurt", 'staging is in Frankfurt'],
    ['the deploy key is rotated on Mondays', 'the deploy key is rotated on Mondays'],
    ['merke: größer als 5', 'merke: größer als 5'],
  ])('%j is to be remembered as %j', (message, goal) => {
    expect(readNote(message)).toEqual({
      ...{ intent: goal, outcome: { success: true }, tags: [] },
    });
  });

  it.each(['remember this', 'please remember', 'note that.', 'remember: …', ''])(
    '%j does not say what',
    (message) => {
      expect(readNote(message)).toBeNull();
    },
  );

  it('reads failure, its reason, files and tags', () => {
    expect(
      readNote(
        'remember that the deploy of src/auth.ts failed because the token had expired. #deploy #Auth #deploy',
      ),
    ).toEqual({
      intent:
        'the deploy of src/auth.ts failed because the token had expired. #deploy #Auth #deploy',
      outcome: { success: false, failure_reason: 'the token had expired' },
      perception: { relevant_files: ['src/auth.ts'] },
      tags: ['deploy', 'Auth'],
    });
  });

  it('reads what was learned', () => {
    expect(readNote('note: fixed the cache. Lesson: invalidate by key')?.outcome.learning).toBe(
      'invalidate by key',
    );
  });

  it('is for everybody only when that is said', () => {
    expect(readNote('remember for the whole team that we use pnpm')).toMatchObject({
      visibility: 'project',
      intent: 'we use pnpm',
    });
    expect(readNote('remember that we use pnpm, for everyone')).toMatchObject({
      visibility: 'project',
      intent: 'we use pnpm',
    });
  });

  it('takes the first sentence of a long text as its goal and keeps the rest', () => {
    const note = readNote(
      `remember that the cache was wrong for hours. ${'It was stale. '.repeat(60)}`,
    );
    expect(note?.intent).toBe('the cache was wrong for hours.');
    expect(note?.outcome.learning?.startsWith('It was stale.')).toBe(true);
  });

  it.each([
    ['what do you remember about the login bug?', 'the login bug'],
    ['do you remember anything about jwt refresh', 'jwt refresh'],
    ['recall the deploy last week', 'the deploy last week'],
    ['search your memory for pnpm', 'pnpm'],
    ['what did we learn about caching?', 'caching'],
    ['recall("file:auth.ts", depth: "reasoning")', 'recall("file:auth.ts", depth: "reasoning")'],
    [
      'Please do recall("session:last", depth: "full") now.',
      'recall("session:last", depth: "full")',
    ],
    ['show me mem_1f2e3d4c', 'mem_1f2e3d4c'],
    ['what about file:src/auth.ts?', 'file:src/auth.ts'],
    ['why did the build break?', 'why did the build break'],
    ['recall', ''],
  ])('%j looks for %j', (message, subject) => {
    expect(recallSubject(message)).toBe(subject);
  });

  it.each([
    ['forget what I told you about the login bug', { query: 'the login bug' }],
    ['please delete my notes about pnpm', { query: 'pnpm' }],
    ['forget about src/auth.ts', { file: 'src/auth.ts' }],
    ['forget mem_1F2E3D4C and mem_5a6b7c8d', { memory_ids: ['mem_1f2e3d4c', 'mem_5a6b7c8d'] }],
    ['forget everything', { all: true }],
    ['forget everything you know about me', { all: true }],
    ['please forget everything I told you', { all: true }],
    ['forget me', { all: true }],
    ['delete all my memories', { all: true }],
    ['forget everything I told you about jwt', { query: 'jwt' }],
    ['forget it', null],
    ['forget', null],
  ])('%j is to be forgotten as %j', (message, subject) => {
    expect(forgetSubject(message)).toEqual(subject);
  });

  it.each([
    ['mem_11111111 was caused by mem_22222222', 'mem_11111111', 'mem_22222222', 'caused_by'],
    ['link mem_11111111 led_to mem_22222222', 'mem_11111111', 'mem_22222222', 'led_to'],
    ['mem_11111111 caused mem_22222222', 'mem_11111111', 'mem_22222222', 'led_to'],
    ['mem_11111111 supersedes mem_22222222', 'mem_11111111', 'mem_22222222', 'supersedes'],
    ['mem_11111111 is replaced by mem_22222222', 'mem_22222222', 'mem_11111111', 'supersedes'],
    ['mem_11111111 is blocked by mem_22222222', 'mem_11111111', 'mem_22222222', 'blocked_by'],
    ['mem_11111111 blocks mem_22222222', 'mem_22222222', 'mem_11111111', 'blocked_by'],
    ['link mem_11111111 and mem_22222222', 'mem_11111111', 'mem_22222222', 'related_to'],
  ])('%j links', (message, source, target, link_type) => {
    expect(readLink(message)).toEqual({ source, target, link_type });
  });

  it.each(['link them', 'link mem_11111111', 'mem_11111111 and mem_11111111', 'mem_123'])(
    '%j names no two memories',
    (message) => {
      expect(readLink(message)).toBeNull();
    },
  );

  it('finds each id once and none inside of words', () => {
    expect(memoryIds('xmem_11111111 MEM_22222222 mem_22222222')).toEqual(['mem_22222222']);
  });

  it('reads tags and words of a synthesis', () => {
    expect(synthesisSubject('synthesize wisdom about #auth and #jwt').tags).toEqual([
      'auth',
      'jwt',
    ]);
    expect(synthesisSubject('what have we learned about auth?')).toEqual({
      tags: [],
      words: 'auth',
    });
    expect(synthesisSubject('synthesize wisdom')).toEqual({ tags: [], words: '' });
  });

  it.each([
    ['store {"intent":"x"}', { kind: 'object', object: { intent: 'x' } }],
    ['please save this memory: {"a":1}', { kind: 'object', object: { a: 1 } }],
    ['store ```json\n{"intent":"x"}\n```', { kind: 'object', object: { intent: 'x' } }],
    ['{"intent":"x"}', { kind: 'object', object: { intent: 'x' } }],
    ['remember {"intent":"x"}', { kind: 'object', object: { intent: 'x' } }],
    ['remember that the body was {"a":1}', { kind: 'prose' }],
    ['remember that {"a":1} breaks the parser', { kind: 'prose' }],
    ['remember that {"a":1}', { kind: 'prose' }],
    ['store that the reply {"ok":true} is wrong', { kind: 'prose' }],
    ['remember set {a, b}', { kind: 'prose' }],
    ['{a, b} is a set', { kind: 'prose' }],
    ['no object', { kind: 'prose' }],
    ['[1]', { kind: 'prose' }],
    ['store {"intent":"x"', { kind: 'broken' }],
    ['store {"intent":"x"} please', { kind: 'broken' }],
    ['store {intent: x}', { kind: 'broken' }],
    ['{"intent":', { kind: 'broken' }],
    ['remember {"intent": "x",}', { kind: 'broken' }],
  ])('%j is read as %j', (text, read) => {
    expect(readDraftText(text)).toMatchObject(read);
  });

  it.each([
    ['mem_11111111 was caused by mem_11111111', true],
    ['mem_11111111 led to MEM_11111111-2222-4333-8444-555555555555', true],
    ['mem_11111111 was caused by mem_22222222', false],
    ['link mem_11111111', false],
    ['link them', false],
  ])('%j links a memory to itself: %j', (text, itself) => {
    expect(linksToItself(text)).toBe(itself);
  });

  it.each([
    ['stops', `${'.'.repeat(100_000)}x`],
    ['spaces', `x${' '.repeat(100_000)}x`],
    ['separators', `x${' ;,('.repeat(25_000)}x`],
    ['closing marks', `x${')'.repeat(100_000)}x`],
    ['polite words', 'please, '.repeat(12_500)],
    ['whole sentences', 'forget everything that you know about me. '.repeat(2_500)],
    ['printed look-ups', 'recall("'.repeat(12_500)],
    ['printed look-ups with commas', 'recall(",'.repeat(12_500)],
    ['ids', 'mem_11111111-'.repeat(8_000)],
  ])('reads 100,000 characters of %s in no time', (_what, text) => {
    for (const lead of ['', 'forget ', 'remember ', 'store {', 'recall ']) {
      const message = lead + text;
      expectQuick(2_000, () => {
        forgetSubject(message);
        recallSubject(message);
        synthesisSubject(message);
        readDraftText(message);
        readNote(message);
        linksToItself(message);
        readLink(message);
      });
    }
  });

  it('finds a printed look-up behind a few that are none', () => {
    const broken = 'recall( '.repeat(19);
    expect(recallSubject(`${broken}recall("file:a.ts")`)).toBe('recall("file:a.ts")');
  });

  it('reads the first 8,192 characters of a message, and ids wherever they are', () => {
    const long = `forget ${'a'.repeat(8_184)}`;
    expect(forgetSubject(`${long}bc`)).toEqual({ query: `${'a'.repeat(8_184)}b` });
    expect(forgetSubject(`${long}😀`)).toEqual({ query: 'a'.repeat(8_184) });
    expect(recallSubject(`${long}bc`)).toHaveLength(8_192);
    expect(forgetSubject(`${long} mem_11111111`)).toEqual({ memory_ids: ['mem_11111111'] });
  });
});
