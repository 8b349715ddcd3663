/** Runs docs/hints.md: its commands against a real store, and its tables compared with what is. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_QUOTAS, MAX_NAME, MAX_VALUE_BYTES, privateQuotas } from '../../src/hints/index.js';
import { MAX_BATCH } from '../../src/surfaces/rest/rpc/json-rpc.js';
import {
  type HintServer,
  makeStage,
  type Stage,
  startHintServer,
} from '../surfaces/cli/nudge/nudge.js';

const page = readFileSync(new URL('../../docs/hints.md', import.meta.url), 'utf8');

/** Fenced blocks of commands, with a remark above on how they end. */
const blocks = [...page.matchAll(/^<!-- run(?:: (.+))? -->\n```console\n([\s\S]*?)^```$/gm)].map(
  ([, about = '', text = ''], at) => ({ name: `${at + 1} ${about}`.trim(), about, text }),
);

/** `$ nudge …` and what it prints, a blank line between two commands. */
function commandsOf(text: string): { argv: string[]; printed: string }[] {
  return text
    .split(/^\$ nudge /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...lines] = part.trimEnd().split('\n');
      const words = command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
      const argv = [...words].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
      return { argv, printed: lines.join('\n') };
    });
}

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

  it.each(blocks)('block $name', async ({ about, text }) => {
    const code = Number(/\bexit (\d)/.exec(about)?.[1] ?? 0);
    const file = /\bas (\S+)/.exec(about)?.[1];
    for (const { argv, printed } of commandsOf(text)) {
      const ended = await stage.nudge(...argv);
      expect({ argv, code: ended.code }).toEqual({ argv, code });
      if (file !== undefined) stage.write(file, ended.out);
      else expect(`${ended.out}${ended.err}`.trimEnd()).toBe(printed);
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
      'hints of one person, in chat': privateQuotas(DEFAULT_QUOTAS).maxPerPerson,
      'hints of one person, of one component':
        privateQuotas(DEFAULT_QUOTAS).maxPerPersonAndComponent,
      'hints of all people together': privateQuotas(DEFAULT_QUOTAS).maxPrivate,
      'a value': MAX_VALUE_BYTES,
      'a name': MAX_NAME,
      'a batch': MAX_BATCH,
    });
  });
});
