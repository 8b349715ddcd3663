/** Runs the talk of docs/start.md about knowledge: the example index, the offline model, a real agent. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Content, UUID } from '@elizaos/core';
import { stringToUuid } from '@elizaos/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleIndex } from '../../demo/example.js';
import { knowledgeLine } from '../../demo/knowledge.js';
import { offlineModel } from '../../demo/offline-model.js';
import { parseScheduleText } from '../../src/index.js';
import type { RememberDraft, WhenHealth, WhenService } from '../../src/when/index.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { scriptedModel } from '../helpers/scripted-model.js';
import { whenOf } from '../helpers/when.js';

const page = readFileSync(new URL('../../docs/start.md', import.meta.url), 'utf8');
const steps = [
  ...page.matchAll(/^<!-- (?<kind>talk|post) -->\n(`{3,})\w*\n(?<body>[\s\S]*?)^\2$/gm),
].flatMap(({ groups: { kind = '', body = '' } = {} }) =>
  kind === 'post'
    ? [{ kind, said: body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1), answer: '' }]
    : body.split(/^> /m).flatMap((turn) => {
        const [said = '', ...answer] = turn.trimEnd().split('\n');
        return said === '' ? [] : [{ kind, said, answer: answer.join('\n') }];
      }),
);

let folder: string;
let index: string;
let agent: Agent;
let when: WhenService;
let seat: { roomId: UUID; entityId: UUID };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cue-start-'));
  index = exampleIndex(folder);
  const plugin = offlineModel({ parse: parseScheduleText, timezone: 'UTC' });
  agent = await boot({
    slim: true,
    brain: { ...scriptedModel(), plugin },
    settings: { CUE_WHEN_INDEX: index },
  });
  when = await whenOf(agent.runtime);
  seat = await makeChat(agent.runtime, 'reader');
});
afterAll(async () => {
  await agent.stop();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
async function say(text: string): Promise<string> {
  const { runtime } = agent;
  const said: string[] = [];
  count += 1;
  const { roomId, entityId } = seat;
  const message = { id: stringToUuid(`start-${count}`), roomId, entityId };
  await runtime.messageService?.handleMessage(
    runtime,
    { ...message, content: { text, source: 'test' } },
    async (content: Content) => {
      said.push(content.text ?? '');
      return [];
    },
  );
  return said.join('\n');
}

/** What it is worth is measured by the evaluation, and changes with it. */
const withoutConfidence = (text: string) => text.replace(/confidence 0\.\d\d/g, 'confidence 0.00');

describe('knowledge in docs/start.md', () => {
  it('is read from the example, which has no faults', async () => {
    expect(await when.validate()).toMatchObject({ ok: true, problems: [] });
    expect(knowledgeLine(when.health())).toBe(`${index} (3 entries in 2 files)`);
  });

  it.each(steps.map((step, at) => ({ ...step, name: `${at + 1}: ${step.said.slice(0, 40)}` })))(
    'step $name',
    async ({ kind, said, answer }) => {
      if (kind === 'post') {
        const draft = JSON.parse(said) as RememberDraft;
        expect(await when.remember(draft, { kind: 'operator' })).toMatchObject({ changed: true });
        return;
      }
      expect(withoutConfidence(await say(said))).toBe(withoutConfidence(answer));
    },
  );

  it('keeps what was added, and the example of the repository as it is', () => {
    expect(exampleIndex(folder)).toBe(index);
    expect(readFileSync(index, 'utf8')).toContain('/when naming test cases');
    const source = new URL('../../demo/example/memory-index.md', import.meta.url);
    expect(readFileSync(source, 'utf8')).not.toContain('/when naming test cases');
  });
});

describe('the line about knowledge in the banner', () => {
  const health: WhenHealth = {
    ...{ state: 'ready' as const, index: '/p/memory-index.md', decisions: '/p/decisions' },
    ...{ entries: 1, sections: 1, files: 1, warnings: [], warningCount: 0 },
  };

  it('says that the setting is absent, and how to try it', () => {
    expect(knowledgeLine({ ...health, state: 'off', index: null })).toBe(
      'none (CUE_WHEN_INDEX is not set; npm start -- --example brings an index to try)',
    );
    expect(page).toContain('  Knowledge none (CUE_WHEN_INDEX is not set;');
  });

  it('counts, and tells problems', () => {
    expect(knowledgeLine(health)).toBe('/p/memory-index.md (1 entry in 1 file)');
    expect(knowledgeLine({ ...health, warningCount: 2, degraded: 'the index is away' })).toBe(
      '/p/memory-index.md (1 entry in 1 file; 2 problems: cue when validate; the index is away)',
    );
  });
});
