import { encryptStringValue } from '@elizaos/core';
import { describe, expect, it } from 'vitest';
import { offersEnabledNow, parseSettings, pausedNow, SETTING_KEYS } from '../src/settings.js';

const read = (values: Record<string, unknown>) => (key: string) => values[key] ?? null;

describe('settings', () => {
  it('have the defaults of the design', () => {
    expect(parseSettings(read({}))).toMatchObject({
      CUE_TRIGGERS_ENABLED: true,
      CUE_TRIGGERS_PAUSED: false,
      CUE_TRIGGER_MIN_INTERVAL_MS: 60_000,
      CUE_TRIGGER_MAX_PER_CREATOR: 50,
      CUE_TRIGGER_MAX_PER_AGENT: 10_000,
      CUE_TRIGGER_RUNS_PER_HOUR: 600,
      CUE_TRIGGER_RUNS_PER_DAY: 5_000,
      CUE_HOT_WINDOW_MS: 120_000,
      CUE_CRON_SECONDS: false,
      CUE_AUTONOMY: true,
      CUE_AUTONOMY_LOOP: false,
      CUE_AUTONOMY_INTERVAL_MS: 300_000,
      CUE_OFFERS_ENABLED: true,
    });
  });

  it('are read from text and from what the host makes of it', () => {
    const settings = parseSettings(
      read({
        CUE_TRIGGERS_PAUSED: 'yes',
        CUE_AUTONOMY: false,
        CUE_HOT_WINDOW_MS: ' 60000 ',
        CUE_TIMEZONE: 'Asia/Kolkata',
      }),
    );
    expect(settings).toMatchObject({
      CUE_TRIGGERS_PAUSED: true,
      CUE_AUTONOMY: false,
      CUE_HOT_WINDOW_MS: 60_000,
      CUE_TIMEZONE: 'Asia/Kolkata',
    });
  });

  it.each([
    ['CUE_TRIGGERS_ENABLED', 'perhaps'],
    ['CUE_TRIGGER_MIN_INTERVAL_MS', '12.5'],
    ['CUE_TRIGGER_MIN_INTERVAL_MS', '-1'],
    ['CUE_TRIGGER_RUNS_PER_HOUR', 'many'],
    ['CUE_TIMEZONE', 'Mars/Base'],
  ])('a wrong value stops the start with a message that names it: %s=%s', (key, value) => {
    expect(() => parseSettings(read({ [key]: value }))).toThrow(key);
  });

  it('a value that the host could not decrypt is not shown, but named with the cause', () => {
    const sealed = encryptStringValue('Europe/Berlin', 'another salt');
    const parse = () => parseSettings(read({ CUE_TIMEZONE: sealed, CUE_PROJECT: sealed }));
    expect(parse).toThrow(
      /^cue: wrong setting: CUE_PROJECT, CUE_TIMEZONE cannot be decrypted: .*SECRET_SALT/,
    );
    expect(parse).not.toThrow(sealed);
  });

  it('the kill switch is read anew', () => {
    const values: Record<string, unknown> = {};
    const settings = parseSettings(read(values));
    expect(pausedNow(read(values), settings)).toBe(false);
    values.CUE_TRIGGERS_PAUSED = 'true';
    expect(pausedNow(read(values), settings)).toBe(true);
  });

  it('the switch of offers is read anew', () => {
    const values: Record<string, unknown> = {};
    const settings = parseSettings(read(values));
    expect(offersEnabledNow(read(values), settings)).toBe(true);
    values.CUE_OFFERS_ENABLED = 'no';
    expect(offersEnabledNow(read(values), settings)).toBe(false);
  });

  it('are all named CUE_, but for those of the hints, which keep the names of their seed', () => {
    expect(SETTING_KEYS.filter((key) => !/^(?:CUE|NUDGE)_/.test(key))).toEqual([]);
  });
});
