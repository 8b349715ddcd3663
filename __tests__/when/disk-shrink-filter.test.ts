import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createShrinkFilter } from '../../src/when/disk/watch.js';
import type { DiskState, Warning } from '../../src/when/types.js';

type Files = Record<string, string>;

/** `index` is the index, everything else a decision file. */
function disk({ index, ...files }: Files, warnings: Warning[] = []): DiskState {
  return {
    index: index === undefined ? null : { path: '/i.md', text: index },
    files: Object.entries(files).map(([path, text]) => ({ path, text })),
    warnings,
  };
}

function believed({ index, files }: DiskState): Files {
  const texts = Object.fromEntries(files.map(({ path, text }) => [path, text]));
  return index === null ? texts : { index: index.text, ...texts };
}

const WHOLE = '# T\n\n## One\n\nfirst\n\n## Two\n\nsecond\n';

describe('a file that loses content', () => {
  it.each([
    ['is gone', {}],
    ['is empty', { 'a.md': '' }],
    ['is cut off', { 'a.md': WHOLE.slice(0, 30) }],
    ['has fewer headings, longer or not', { 'a.md': `# T\n\n## One\n\n${'more '.repeat(20)}\n` }],
    ['is less than half', { 'a.md': '# T\n## 1\n## 2\n' }],
  ] as [string, Files][])('is believed only when it %s for the settle time', (_, seen) => {
    const filter = createShrinkFilter({ settleMs: 300 });
    filter.see(disk({ 'a.md': WHOLE }), 1_000);
    const first = filter.see(disk(seen), 1_100);
    expect(believed(first.state)).toEqual({ 'a.md': WHOLE });
    expect(first.againInMs).toBe(300);
    const second = filter.see(disk(seen), 1_399);
    expect(believed(second.state)).toEqual({ 'a.md': WHOLE });
    expect(second.againInMs).toBe(1);
    const third = filter.see(disk(seen), 1_400);
    expect(believed(third.state)).toEqual(seen);
    expect(third.againInMs).toBeNull();
  });

  it('and gets it back in time has never lost it', () => {
    const filter = createShrinkFilter({ settleMs: 300 });
    const { state } = filter.see(disk({ 'a.md': WHOLE }), 0);
    expect(filter.see(disk({ 'a.md': '' }), 10).state).toBe(state);
    expect(filter.see(disk({}), 200).state).toBe(state);
    const back = filter.see(disk({ 'a.md': WHOLE }), 250);
    expect(back).toEqual({ state, againInMs: null });
    // The time begins anew with the next loss.
    expect(filter.see(disk({}), 600)).toEqual({ state, againInMs: 300 });
  });

  it('in steps is believed at the step that stays', () => {
    const filter = createShrinkFilter({ settleMs: 300 });
    filter.see(disk({ 'a.md': WHOLE }), 0);
    filter.see(disk({}), 100);
    expect(filter.see(disk({ 'a.md': '# T\n' }), 390).againInMs).toBe(300);
    expect(believed(filter.see(disk({ 'a.md': '# T\n' }), 690).state)).toEqual({
      'a.md': '# T\n',
    });
  });
});

describe('what is believed at once', () => {
  it.each([
    ['a new file', { 'a.md': WHOLE, 'b.md': 'x' }],
    ['a longer text', { 'a.md': `${WHOLE}\n## Three\n` }],
    ['an edited line, though shorter', { 'a.md': WHOLE.replace('second', '2nd') }],
    ['a renamed heading', { 'a.md': WHOLE.replace('Two', 'Zwei') }],
    ['a file under a new name', { 'renamed.md': WHOLE }],
    ['the index when it appears', { index: '# I\n', 'a.md': WHOLE }],
  ] as [string, Files][])('%s', (_, seen) => {
    const filter = createShrinkFilter();
    filter.see(disk({ 'a.md': WHOLE }), 0);
    const { state, againInMs } = filter.see(disk(seen), 1);
    expect(believed(state)).toEqual(seen);
    expect(againInMs).toBeNull();
  });

  it('comes with what waits, each on its own', () => {
    const filter = createShrinkFilter({ settleMs: 300 });
    filter.see(disk({ index: '/when a | B | c\n/when d | E | f\n', 'a.md': WHOLE }), 0);
    const seen = { index: '/when a | B | c\n', 'b.md': 'new' };
    expect(believed(filter.see(disk(seen), 50).state)).toEqual({
      index: '/when a | B | c\n/when d | E | f\n',
      'a.md': WHOLE,
      'b.md': 'new',
    });
    expect(believed(filter.see(disk(seen), 350).state)).toEqual(seen);
  });
});

it('keeps what could not be looked at, however long', () => {
  const filter = createShrinkFilter({ settleMs: 300 });
  const { state } = filter.see(disk({ 'api/a.md': WHOLE, 'b.md': WHOLE }), 0);
  const busy = [{ file: 'api', code: 'busy', message: 'too many open files' }];
  const seen = disk({ 'b.md': WHOLE }, busy);
  for (const nowMs of [100, 1_000, 10_000]) {
    expect(believed(filter.see(seen, nowMs).state)).toEqual(believed(state));
  }
  filter.see(disk({ 'b.md': WHOLE }), 10_100);
  expect(believed(filter.see(disk({ 'b.md': WHOLE }), 10_400).state)).toEqual({ 'b.md': WHOLE });
});

it('does not say that something is missing that it believes in', () => {
  const filter = createShrinkFilter({ settleMs: 300 });
  filter.see(disk({ index: '# I\n', 'a.md': WHOLE }), 0);
  const gone = disk({}, [
    { file: 'index', code: 'no_index', message: 'm' },
    { file: '.', code: 'no_folder', message: 'm' },
  ]);
  expect(filter.see(gone, 1).state.warnings).toEqual([]);
  expect(filter.see(gone, 301).state.warnings).toEqual(gone.warnings);
});

it('loses no section that was there before and is there in the end, whatever came between', () => {
  const cut = fc.nat({ max: WHOLE.length }).map((at) => WHOLE.slice(0, at));
  const step = fc.record({
    text: fc.option(cut, { nil: null }),
    afterMs: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 7 }), (steps) => {
      const filter = createShrinkFilter({ settleMs: 300 });
      let nowMs = 0;
      filter.see(disk({ 'a.md': WHOLE }), nowMs);
      for (const { text, afterMs } of [...steps, { text: WHOLE, afterMs: 1 }]) {
        nowMs += afterMs;
        const { state } = filter.see(disk(text === null ? {} : { 'a.md': text }), nowMs);
        expect(believed(state)).toEqual({ 'a.md': WHOLE });
      }
    }),
    { numRuns: 300 },
  );
});

it.each(['too_large', 'not_text', 'unreadable', 'not_a_file', 'outside', 'broken_link'])(
  'keeps a file that is there and cannot be read (%s), however long, and says why',
  (code) => {
    const filter = createShrinkFilter({ settleMs: 300 });
    filter.see(disk({ index: '# I\n', 'a.md': WHOLE, 'b.md': WHOLE }), 0);
    const refused = [{ file: 'a.md', code, message: 'a.md cannot be read' }];
    for (const nowMs of [100, 1_000, 10_000]) {
      const { state } = filter.see(disk({ index: '# I\n', 'b.md': 'less' }, refused), nowMs);
      expect(believed(state)['a.md']).toBe(WHOLE);
      expect(state.warnings).toEqual(refused);
    }
    // The others go on meanwhile, and it is believed again when it is read again.
    expect(believed(filter.see(disk({ index: '# I\n' }, refused), 20_000).state)).toEqual({
      index: '# I\n',
      'a.md': WHOLE,
      'b.md': 'less',
    });
    const back = filter.see(disk({ index: '# I\n', 'a.md': `${WHOLE}more` }), 20_300).state;
    expect(believed(back)['a.md']).toBe(`${WHOLE}more`);
  },
);

it('keeps an index that cannot be read, and forgets one that is deleted', () => {
  const filter = createShrinkFilter({ settleMs: 300 });
  filter.see(disk({ index: '# I\n', 'a.md': WHOLE }), 0);
  const refused = [{ file: 'index', code: 'not_text', message: 'm' }];
  for (const nowMs of [100, 10_000]) {
    expect(believed(filter.see(disk({ 'a.md': WHOLE }, refused), nowMs).state).index).toBe('# I\n');
  }
  const gone = disk({ 'a.md': WHOLE }, [{ file: 'index', code: 'no_index', message: 'm' }]);
  filter.see(gone, 20_000);
  expect(filter.see(gone, 20_300).state.index).toBeNull();
});
