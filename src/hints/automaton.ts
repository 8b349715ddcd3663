/**
 * Patterns that come from users, tested in time linear in the text: all ways to match are followed
 * side by side instead of one after the other, so that no pattern can explode (`**\/*a*b*c` or
 * `(a+)+b` cost a backtracking matcher seconds on a path that does not fit). Globs and regular
 * expressions are both read into a `Pattern` and run here. Pure.
 */

export type Pattern =
  /** One character (code point) of a set; `only`: the set is this character. */
  | { kind: 'one'; has: (code: number) => boolean; only?: string }
  | { kind: 'all'; of: Pattern[] }
  | { kind: 'any'; of: Pattern[] }
  /** `max` may be `Infinity`. */
  | { kind: 'times'; of: Pattern; min: number; max: number }
  /** A place without width; `edge` is `\b`, `inside` is `\B`. */
  | { kind: 'at'; place: Place };
export type Place = 'start' | 'end' | 'edge' | 'inside';

export interface Matcher {
  /** Upper bound of what one character of a text costs. */
  states: number;
  /** `false` also when the steps have run out: whoever gives some looks whether any are left. */
  test(text: string, steps?: Steps): boolean;
}

/** A set of characters, in a time that hardly grows with their number. Ends of ranges are included. */
export function inRanges(ranges: readonly (readonly [low: number, high: number])[]) {
  const merged: [number, number][] = [];
  for (const [low, high] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return (code: number): boolean => {
    let [from, to] = [0, merged.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const [low, high] = merged[middle] ?? [0, 0];
      if (code < low) to = middle;
      else if (code > high) from = middle + 1;
      else return true;
    }
    return false;
  };
}

/** What many tests may cost together: states that are looked at, some 20 ns each. */
export interface Steps {
  /** Below 0: the test was given up. */
  left: number;
}

/** What a test costs before it looks at a state: the text is searched and put into its normal form. */
export function spendOn(text: string, steps: Steps | undefined): boolean {
  if (steps === undefined) return true;
  steps.left -= 1 + (text.length >> 1);
  return steps.left >= 0;
}

/**
 * @param where `whole`: the pattern is the entire text; `part`: it is found anywhere in it.
 * @param maxStates the cost of a test is at most this times the length of the text.
 * @returns `null` when the pattern is larger (counted repetitions multiply).
 */
export function matcherOf(
  pattern: Pattern,
  where: 'whole' | 'part',
  maxStates: number,
): Matcher | null {
  const size = sizeOf(pattern);
  if (size > maxStates) return null;
  const needed = neededBy(pattern);
  // Of thousands of patterns most are never tried: their text is not in what is tested.
  let run: Matcher['test'] | null = null;
  return {
    states: size,
    test(text, steps) {
      if (!spendOn(text, steps) || !text.includes(needed)) return false;
      run ??= compiled(pattern, where);
      return run(text, steps);
    },
  };
}

function compiled(pattern: Pattern, where: 'whole' | 'part'): Matcher['test'] {
  const states: State[] = [];
  const add = (state: State): number => states.push(state) - 1;
  const accept = add({ kind: 'accept', to: 0, or: 0 });
  const whole: Pattern = { kind: 'all', of: [pattern, { kind: 'at', place: 'end' }] };
  const start = build(where === 'whole' ? whole : pattern, accept, add);
  return createRun(states, start, where === 'part');
}

/** The longest text that is in everything the pattern matches. */
function neededBy(pattern: Pattern): string {
  let longest = '';
  let run = '';
  for (const part of flat(pattern)) {
    const only = part.kind === 'one' ? part.only : undefined;
    run = only === undefined ? '' : run + only;
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

function flat(pattern: Pattern): Pattern[] {
  if (pattern.kind === 'all') return pattern.of.flatMap(flat);
  return pattern.kind === 'any' && pattern.of.length === 1 ? pattern.of.flatMap(flat) : [pattern];
}

export const exactly = (character: string): Pattern => {
  const code = character.codePointAt(0);
  return { kind: 'one', has: (other) => other === code, only: character };
};
export const literal = (text: string): Pattern => ({ kind: 'all', of: [...text].map(exactly) });
export const repeated = (of: Pattern, min: number, max = Number.POSITIVE_INFINITY): Pattern => ({
  kind: 'times',
  of,
  min,
  max,
});

/** `one`: reads a character, goes `to`. `split`: goes `to` and `or`. `at`: goes `to` at a place. */
interface State {
  kind: 'one' | 'split' | 'at' | 'accept';
  to: number;
  or: number;
  has?: (code: number) => boolean;
  place?: Place;
}

/** Upper bound of the states of a pattern. */
function sizeOf(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'one':
    case 'at':
      return 1;
    case 'all':
      return sum(pattern.of);
    case 'any':
      return sum(pattern.of) + pattern.of.length;
    case 'times': {
      const copies = Number.isFinite(pattern.max) ? pattern.max : pattern.min + 1;
      return Math.max(1, copies) * (sizeOf(pattern.of) + 1);
    }
  }
}

const sum = (patterns: Pattern[]): number => patterns.reduce((size, one) => size + sizeOf(one), 0);

/** Adds the states of a pattern that goes on at `next`; returns where it begins. */
function build(pattern: Pattern, next: number, add: (state: State) => number): number {
  switch (pattern.kind) {
    case 'one':
      return add({ kind: 'one', to: next, or: next, has: pattern.has });
    case 'at':
      return add({ kind: 'at', to: next, or: next, place: pattern.place });
    case 'all':
      return pattern.of.reduceRight((after, one) => build(one, after, add), next);
    case 'any': {
      const [first, ...others] = pattern.of.map((one) => build(one, next, add));
      return others.reduce((to, or) => add({ kind: 'split', to, or }), first ?? next);
    }
    case 'times': {
      let begin = next;
      if (Number.isFinite(pattern.max)) {
        for (let spare = pattern.min; spare < pattern.max; spare += 1) {
          begin = add({ kind: 'split', to: build(pattern.of, begin, add), or: next });
        }
      } else {
        const loop: State = { kind: 'split', to: next, or: next };
        begin = add(loop);
        loop.to = build(pattern.of, begin, add);
      }
      for (let must = 0; must < pattern.min; must += 1) begin = build(pattern.of, begin, add);
      return begin;
    }
  }
}

const NONE = -1;

/** Tests texts one after the other; what it notes down is used again for the next one. */
function createRun(states: readonly State[], start: number, anywhere: boolean): Matcher['test'] {
  let current = createVisits(states.length);
  let next = createVisits(states.length);
  return (text, steps) => {
    let previous = NONE;
    let index = 0;
    current.clear();
    current.add(start);
    for (;;) {
      const code = text.codePointAt(index) ?? NONE;
      next.clear();
      // `current` grows while it is walked: what is reached without reading is walked as well.
      for (let at = 0; at < current.size(); at += 1) {
        const state = states[current.at(at)];
        if (state === undefined) continue;
        if (state.kind === 'accept') return true;
        if (state.kind === 'one') {
          if (code !== NONE && state.has?.(code) === true) next.add(state.to);
        } else if (state.kind === 'split') {
          current.add(state.to);
          current.add(state.or);
        } else if (isAt(state.place, previous, code)) {
          current.add(state.to);
        }
      }
      if (steps !== undefined) {
        steps.left -= current.size();
        if (steps.left < 0) return false;
      }
      if (code === NONE) return false;
      if (anywhere) next.add(start);
      else if (next.size() === 0) return false;
      [current, next] = [next, current];
      previous = code;
      index += code > 0xffff ? 2 : 1;
    }
  };
}

/** States in the order of their first visit, each once. */
function createVisits(states: number) {
  const order = new Int32Array(states);
  const visited = new Int32Array(states);
  let size = 0;
  let round = 1;
  return {
    size: () => size,
    at: (index: number) => order[index] ?? 0,
    add(state: number): void {
      if (visited[state] === round) return;
      visited[state] = round;
      order[size] = state;
      size += 1;
    },
    clear(): void {
      size = 0;
      // Marks of the last time around could be mistaken for new ones.
      round = round === 0x7fffffff ? 1 : round + 1;
      if (round === 1) visited.fill(0);
    },
  };
}

function isAt(place: Place | undefined, previous: number, next: number): boolean {
  if (place === 'start') return previous === NONE;
  if (place === 'end') return next === NONE;
  return (isWord(previous) !== isWord(next)) === (place === 'edge');
}

/** `\w` of a regular expression. */
export function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95
  );
}
