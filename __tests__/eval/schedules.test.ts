/** A floor under how messages of strangers about times are read; `npm run eval -- schedules` has the figures. */
import { describe, expect, it } from 'vitest';
import { judgeStrangers } from '../../eval/schedules/strangers.js';

const results = judgeStrangers();

describe.each(results)('the messages of set $name', ({ judged }) => {
  const requests = judged.filter(({ kind }) => kind === 'schedule');
  const share = (outcome: string) =>
    requests.filter((one) => one.outcome === outcome).length / requests.length;

  it('are many', () => expect(requests.length).toBeGreaterThan(100));
  it('become no wrong schedule', () => expect(share('wrong')).toBeLessThanOrEqual(0.01));
  it('are read or asked about', () => {
    expect(share('right')).toBeGreaterThan(0.8);
    expect(share('none')).toBeLessThan(0.04);
  });
});
