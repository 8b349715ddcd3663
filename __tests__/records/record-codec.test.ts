/** Rows and vectors as bytes and text, without a database. */
import { expect, it } from 'vitest';
import { projectIdOf, withoutNul } from '../../src/records/index.js';
import {
  checkVector,
  decodeHalfVector,
  decodeRecord,
  encodeRecord,
  type StoredRow,
  vectorText,
} from '../../src/records/record-codec.js';
import { derivedId } from '../../src/shared/ids.js';
import { AUTHOR, axis, NOTE } from '../contract/record-fixtures.js';

const projectId = derivedId('test', 'codec');
const record = {
  id: derivedId('test', 'record'),
  createdAtMs: 7,
  scope: { projectId, visibility: 'project', entityId: null, roomId: null, authorId: AUTHOR },
  data: { title: 'a title', weight: 1, extra: { deep: [1, null, 'x'] } },
} as const;

const rowOf = (metadata: Record<string, unknown> | null): StoredRow => ({
  id: record.id,
  created_ms: '7',
  text: 'a title',
  metadata,
});

it('reads what it wrote, the fields of a newer writer included', () => {
  const { metadata, text } = encodeRecord(NOTE, { ...record, vector: axis(0) });
  expect([text, metadata.audience]).toEqual(['a title', 'p']);
  const decoded = decodeRecord(NOTE, rowOf({ ...metadata, changedAtMs: 5, novelty: true }));
  expect(decoded).toEqual({
    changedAtMs: 5,
    record: { ...record, text: 'a title', revision: 1, embeddingModel: 'test-model' },
  });
});

it('says what is wrong with a row', () => {
  const { metadata } = encodeRecord(NOTE, record);
  const good = { ...metadata, changedAtMs: 5 };
  const cases: [Record<string, unknown> | null, RegExp][] = [
    [null, /^metadata: /],
    [metadata, /^metadata\.changedAtMs: /],
    [
      { ...good, scope: { ...record.scope, authorId: 'nobody' } },
      /^metadata\.scope\.authorId: is not a UUID$/,
    ],
    [{ ...good, revision: 0 }, /^metadata\.revision: /],
    [{ ...good, data: { title: 1, weight: 1 } }, /^data\.title: /],
  ];
  for (const [damaged, reason] of cases) {
    const found = decodeRecord(NOTE, rowOf(damaged)).damaged;
    expect([found?.id, found?.reason]).toEqual([record.id, expect.stringMatching(reason)]);
  }
  const gap = { ...NOTE, upgrades: {} };
  expect(decodeRecord(gap, rowOf({ ...good, version: 2 })).damaged?.reason).toBe(
    'no upgrade from version 2 of cue_test_note',
  );
});

it('leaves only text that PostgreSQL takes, and all of the rest', () => {
  const cases: [string, string][] = [
    ['plain', 'plain'],
    ['a\u0000b\u0000', 'ab'],
    ['\ud83d\ude00 whole', '\u{1f600} whole'],
    ['\ud83d', '\ufffd'],
    ['\ude00\ud83d', '\ufffd\ufffd'],
    ['\ud83d\u0000\ude00', '\ufffd\ufffd'],
    ['\\u0000 written out', '\\u0000 written out'],
  ];
  for (const [odd, clean] of cases) {
    expect(withoutNul({ [odd]: [odd, { deep: odd }], n: 1, none: null })).toEqual({
      [clean]: [clean, { deep: clean }],
      n: 1,
      none: null,
    });
  }
});

it('reads half-precision numbers as the database writes them', () => {
  const encode = (words: number[], header = 384) => {
    const bytes = Buffer.alloc(4 + 2 * 384);
    bytes.writeUInt16BE(header, 0);
    for (const [index, word] of words.entries()) bytes.writeUInt16BE(word, 4 + 2 * index);
    return bytes.toString('base64');
  };
  const words = [0x3c00, 0xbc00, 0x3800, 0x0001, 0x0400, 0x7bff, 0x8000, 0x3555];
  const numbers = [1, -1, 0.5, 2 ** -24, 2 ** -14, 65_504, -0, 0.333251953125];
  expect([...(decodeHalfVector(encode(words)) ?? [])].slice(0, 8)).toEqual(numbers);
  expect(decodeHalfVector(encode([0x7c00]))).toBeNull();
  expect(decodeHalfVector(encode([0x7e00]))).toBeNull();
  expect(decodeHalfVector(encode([], 383))).toBeNull();
  expect(decodeHalfVector('AAAA')).toBeNull();
  expect(decodeHalfVector(null)).toBeNull();
});

it('writes a vector so that every number comes back as it was', () => {
  const vector = Float32Array.from({ length: 384 }, (_, n) => Math.sin(n) / 20);
  const read = Float32Array.from(JSON.parse(vectorText(vector)) as number[]);
  expect(read).toEqual(vector);
  expect(() => checkVector(vector)).not.toThrow();
});

it('gives an agent a project of its own, or the named one it shares', () => {
  const [ann, bob] = [derivedId('test', 'ann'), derivedId('test', 'bob')];
  expect(projectIdOf(ann)).toBe(projectIdOf(ann, '  '));
  expect(projectIdOf(ann)).not.toBe(projectIdOf(bob));
  expect(projectIdOf(ann, 'shop')).toBe(projectIdOf(bob, ' shop '));
  expect(projectIdOf(ann, ann)).not.toBe(projectIdOf(ann));
});
