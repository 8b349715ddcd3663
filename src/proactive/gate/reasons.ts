/** Why the gate proposes something, in words: what weighed most of what can be told to people. Pure. */
import { type Features, type Moment, type Seen, sameFile } from './features.js';
import type { Head } from './weights.js';

/** What a group of features says; several of one group are one reason. */
const TOLD: readonly (readonly [RegExp, (features: Features, seen: Seen) => string | null])[] = [
  [
    /^(?:B|W|F|G)_|^order|^(?:rank|margin|place)_B/,
    ({ B_goal = 0 }) =>
      B_goal > 0 ? `${Math.round(100 * B_goal)} % of its words, by rarity` : null,
  ],
  [
    /^(?:lex|mean|z)_|_(?:lex|mean|z)_/,
    ({ mean_max = 0 }) => `alike in meaning (${mean_max.toFixed(2)})`,
  ],
  [/^rank_|^margin_|^place_/, () => 'nearest of all memories'],
  [/^names_same/, () => 'the same names'],
  [/^numbers_same/, () => 'the same numbers'],
  [/^kin/, ({ kin = 0 }) => (kin > 0 ? `one of ${kin + 1} alike` : null)],
  [/^reason/, () => 'what went wrong is spoken of'],
  [/^m_tag/, ({ m_tag }) => (m_tag ? 'its tag is named' : null)],
  [/^m_type/, ({ m_type }) => (m_type ? 'the same kind of task' : null)],
  [/^kind_action|^kind_task/, () => 'it is about to be done'],
  [/^[ws]_(?:request|opens)/, () => 'it is asked for'],
];
const MOST = 3;

/** The strongest first; a file in common before all. */
export function reasonsOf(
  head: Head,
  features: Features,
  moment: Moment,
  seen: Seen,
  failedOnFile: boolean,
): string[] {
  const file = moment.files.find((path) => seen.near.files.some((own) => sameFile(path, own)));
  const reasons = file === undefined ? [] : [`file ${file}`];
  if (failedOnFile) reasons.push('it failed there before');
  const weighed = head.features
    .map(([name, mean, spread, weight]) => ({
      name,
      by: (weight * ((features[name] ?? 0) - mean)) / spread,
    }))
    .filter(({ by }) => by > 0)
    .sort((a, b) => b.by - a.by);
  const groups = new Set<number>();
  for (const { name } of weighed) {
    const group = TOLD.findIndex(([form]) => form.test(name));
    if (group < 0 || groups.has(group) || reasons.length >= MOST) continue;
    groups.add(group);
    const reason = TOLD[group]?.[1](features, seen) ?? null;
    if (reason !== null) reasons.push(reason);
  }
  return reasons;
}
