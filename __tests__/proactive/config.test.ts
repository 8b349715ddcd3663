import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG, fileCooldownSeconds, parseConfig } from '../../src/proactive/config.js';
import { InvalidInputError } from '../../src/shared/errors.js';

function findingsOf(text: string): string[] {
  try {
    parseConfig(text);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.findings.map(({ field }) => field);
    throw error;
  }
  return [];
}

describe('CUE_DETECTORS', () => {
  it.each([undefined, '', '  ', '{}'])('says nothing: %j', (text) => {
    expect(parseConfig(text)).toEqual(DEFAULT_CONFIG);
  });

  it('changes what it names and nothing else', () => {
    const config = parseConfig('{"fileTouch":{"max_age_days":7}}');
    expect(config).toEqual({
      ...DEFAULT_CONFIG,
      fileTouch: { ...DEFAULT_CONFIG.fileTouch, max_age_days: 7 },
    });
  });

  it.each([
    ['{oops', ['CUE_DETECTORS']],
    ['[]', ['CUE_DETECTORS']],
    ['null', ['CUE_DETECTORS']],
    ['{"fileTuch":{}}', ['CUE_DETECTORS.fileTuch']],
    ['{"fileTouch":{"min_memories":0}}', ['CUE_DETECTORS.fileTouch.min_memories']],
    [
      '{"intentMatch":{"similarity_threshold":"AUTO"},"cooldown":{"rate_limit_per_minute":-1}}',
      [
        'CUE_DETECTORS.intentMatch.similarity_threshold',
        'CUE_DETECTORS.cooldown.rate_limit_per_minute',
      ],
    ],
  ])('%s is refused, and what is wrong is named', (text, fields) => {
    expect(findingsOf(text)).toEqual(fields);
  });

  it('takes both names of the seed for the cooldown of files; the second wins', () => {
    const one = parseConfig('{"fileTouch":{"cooldown_seconds":60}}');
    const both = parseConfig(
      '{"fileTouch":{"cooldown_seconds":60},"cooldown":{"file_cooldown_seconds":9}}',
    );
    expect([DEFAULT_CONFIG, one, both].map(fileCooldownSeconds)).toEqual([300, 60, 9]);
  });
});
