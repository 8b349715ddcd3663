/**
 * Words that say what kind of statement a title makes ("… pattern", "… rules") and not what it is
 * about. Each has the verb of somebody who needs such a statement.
 */
export interface KindVerb {
  gerund: string;
  /** The verb says what the word said, so the word goes: "message format" → "formatting messages". */
  replacesKind: boolean;
  /** It is the word's own verb, no guess. */
  sure?: true;
}

const BY_VERB: Readonly<Record<string, string>> = {
  using:
    'pattern approach technique method principle idiom trick tip example mechanism model concept semantics',
  following:
    'convention rule guideline standard policy requirement constraint practice process procedure workflow checklist contract discipline philosophy',
  choosing: 'strategy alternative option preference criterion criteria rationale',
  making: 'decision tradeoff',
  debugging: 'gotcha pitfall trap caveat limitation problem issue quirk bug workaround',
  understanding: 'overview basics note insight lesson architecture consideration background',
};
/** The word is a noun of its own verb. */
const OWN_VERB: Readonly<Record<string, string>> = {
  formatting: 'format',
  structuring: 'structure',
  designing: 'design',
  choosing: 'selection choice',
};
const REPLACING: Readonly<Record<string, string>> = { writing: 'style template guide' };

const KINDS: ReadonlyMap<string, KindVerb> = new Map([
  ...entriesOf(BY_VERB, { replacesKind: false }),
  ...entriesOf(REPLACING, { replacesKind: true }),
  ...entriesOf(OWN_VERB, { replacesKind: true, sure: true }),
]);

function entriesOf(
  table: Readonly<Record<string, string>>,
  how: Omit<KindVerb, 'gerund'>,
): [string, KindVerb][] {
  return Object.entries(table).flatMap(([gerund, words]) =>
    words.split(' ').map((word): [string, KindVerb] => [word, { gerund, ...how }]),
  );
}

/** The verb that goes with a word like `pattern` or `Rules`; undefined for words of content. */
export function verbForKind(word: string): KindVerb | undefined {
  const singular = word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '');
  return KINDS.get(word) ?? KINDS.get(singular);
}
