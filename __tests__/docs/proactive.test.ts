/** The tables of docs/proactive.md against the schema of the detectors. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG, parseConfig } from '../../src/proactive/config.js';
import { OFFER_STATES } from '../../src/proactive/offers/offer.js';
import { TOKEN_LIMITS } from '../../src/proactive/types.js';
import { pageOf } from './page.js';

const page = pageOf('proactive');

describe('docs/proactive.md', () => {
  it('has every field of CUE_DETECTORS with its default', () => {
    const told = [...page.matchAll(/^\| `(\w+\.\w+)` \| (.+?) \|/gm)].map(([, field, said]) => [
      field,
      said,
    ]);
    const real = Object.entries(DEFAULT_CONFIG).flatMap(([name, fields]) =>
      Object.entries(fields).map(([field, value]) => [
        `${name}.${field}`,
        `\`${JSON.stringify(value)}\``,
      ]),
    );
    const asTheOther = ['cooldown.file_cooldown_seconds', 'as `fileTouch.cooldown_seconds`'];
    expect(told.sort()).toEqual([...real, asTheOther].sort());
  });

  it('has an example that is read', () => {
    const [, example] = /```json\n([\s\S]+?)```/.exec(page) ?? [];
    expect(parseConfig(example)).toMatchObject({
      fileTouch: { min_memories: 2, max_age_days: 14, include_failures: true },
      intentMatch: { similarity_threshold: 0.9, include_failures: false },
      cooldown: { rate_limit_per_minute: 2 },
    });
  });

  it('has the limits and the states', () => {
    for (const kind of [
      'conflictWarning',
      'fileTouch',
      'intentMatch',
      'patternRecognition',
      'sessionStart',
    ] as const) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${kind}\` |`));
      expect(row?.endsWith(`| ${TOKEN_LIMITS[kind]} |`)).toBe(true);
    }
    for (const state of OFFER_STATES) expect(page).toContain(`\`${state}\``);
  });
});
