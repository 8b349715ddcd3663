/** Runs docs/hints.md: its commands against a real store, and its tables compared with what is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_QUOTAS, MAX_NAME, MAX_VALUE_BYTES } from '../../src/hints/index.js';
import { MAX_BATCH } from '../../src/surfaces/rest/rpc/json-rpc.js';
import {
  type HintServer,
  makeStage,
  type Stage,
  startHintServer,
} from '../surfaces/cli/nudge/nudge.js';
import { blocksOf, codeOf, commandsOf, pageOf } from './page.js';

const page = pageOf('hints');
const blocks = blocksOf(page);

/** Without the process that serves. */
const masked = (text: string): string =>
  text.replace(/server process \d+ at http:[\w.:/]+/, 'server process <n>');

describe('docs/hints.md', () => {
  let server: HintServer;
  let stage: Stage;
  beforeAll(async () => {
    server = await startHintServer();
    stage = makeStage(server);
  });
  afterAll(async () => {
    stage.remove();
    await server.close();
  });

  it.each(blocks)('block $name', async ({ kind, about, text }) => {
    expect(kind).toBe('run');
    const code = codeOf({ about });
    const file = /\bas (\S+)/.exec(about)?.[1];
    for (const { argv, printed } of commandsOf('nudge', text)) {
      const ended = await stage.nudge(...argv);
      expect({ argv, code: ended.code }).toEqual({ argv, code });
      if (file !== undefined) stage.write(file, ended.out);
      else expect(masked(`${ended.out}${ended.err}`.trimEnd())).toBe(masked(printed));
    }
  });

  it('names the limits that are', () => {
    const limits = new Map(
      [...page.matchAll(/^\| ([^|]+?) \| ([\d,]+)( KB)?(?: calls| characters)? \|$/gm)].map(
        ([, what = '', number = '', unit]) => [
          what,
          Number(number.replaceAll(',', '')) * (unit ? 1_024 : 1),
        ],
      ),
    );
    expect(Object.fromEntries(limits)).toEqual({
      'hints, `NUDGE_MAX_HINTS`': DEFAULT_QUOTAS.maxHints,
      components: DEFAULT_QUOTAS.maxComponents,
      'hints of a component': DEFAULT_QUOTAS.maxPerComponent,
      'a value': MAX_VALUE_BYTES,
      'a name': MAX_NAME,
      'a batch': MAX_BATCH,
    });
  });
});
