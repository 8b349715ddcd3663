/** The table of fields in docs/memory.md against the schema, and the settings against the plugin. */
import { describe, expect, it } from 'vitest';
import {
  ACTION_TYPES,
  draftSchema,
  FAILURE_CATEGORIES,
  LIMITS,
  LINK_TYPES,
  TASK_TYPES,
} from '../../src/memory/schema.js';
import { parseSettings } from '../../src/settings.js';
import { pageOf } from './page.js';

const page = pageOf('memory');
const namesIn = (row: string) =>
  [
    ...(page.split('\n').find((line) => line.startsWith(`| \`${row}\``)) ?? '')
      .split('|')[2]!
      .matchAll(/`([a-z_]+)`/g),
  ].map((match) => match[1]);

describe('docs/memory.md', () => {
  it.each([
    ['intent.task_type', TASK_TYPES],
    ['outcome.failure_category', FAILURE_CATEGORIES],
    ['actions[].type', ACTION_TYPES],
    ['links', LINK_TYPES],
  ])('has all values of %s', (field, values) => {
    expect(namesIn(field).sort()).toEqual([...values].sort());
  });

  it('has the limits', () => {
    const count = (value: number) => value.toLocaleString('en-US');
    expect(page).toContain(`1–${count(LIMITS.goalChars)} characters`);
    expect(page).toContain(`at most ${count(LIMITS.textBytes)} bytes`);
    expect(page).toContain(`${count(LIMITS.draftBytes)} bytes (256 KB)`);
    expect(page).toContain(`at most ${LIMITS.items} items`);
    expect(page).toContain(`${LIMITS.tags} of at most ${LIMITS.tagChars} characters`);
    expect(page).toContain(`(${count(LIMITS.diffBytes)} bytes`);
    expect(page).toContain(`is 1–${LIMITS.pageSize} (`);
  });

  it('has every part of a draft', () => {
    for (const field of Object.keys(draftSchema.shape)) {
      expect(page).toContain(`\`${field}`);
    }
  });
});

describe('docs/operations.md', () => {
  it('has the settings of work memory with their defaults', () => {
    const settings = parseSettings(() => undefined);
    const operations = pageOf('operations');
    expect(operations).toContain(`| \`CUE_CAPTURE\` | \`${settings.CUE_CAPTURE}\` |`);
    expect(operations).toContain(`| \`CUE_STORE_DIFFS\` | \`${settings.CUE_STORE_DIFFS}\` |`);
    expect(operations).toContain(`| \`CUE_SUMMARIES\` | \`${settings.CUE_SUMMARIES}\` |`);
    expect(operations).toContain('| `CUE_PROJECT` |');
    expect(operations).toContain('| `CUE_DATA_DIR` |');
  });
});
