/**
 * Runs every transcript of docs/chat.md, docs/memory.md and docs/proactive.md: each block with a
 * person nobody has talked to. `mem_00000001` is the first memory that a block shows; what the agent
 * says with REPLY is the model's, and stands in the page only. `<!-- model: … -->` is what the small model
 * fills in for all of a block.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hintActions } from '../../../src/surfaces/eliza/index.js';
import { hintsOf } from '../../helpers/hints.js';
import { memoryOf } from '../../helpers/memory.js';
import { type KnowledgeFolder, knowledgeFolder, whenOf } from '../../helpers/when.js';
import { makeAdmin, startTalk, type Talk } from './talk.js';

interface Line {
  /** What the small model answers. */
  form: string | undefined;
  user: string;
  agent: string;
  action: string;
}

const source = ['chat', 'memory', 'proactive']
  .map((name) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8'))
  .join('\n');
const BLOCK = /(?:<!-- model: (.+?) -->\n)?<!-- chat: (.+?) -->\n(`{3,})\n([\s\S]+?)\3(?=\n)/g;

/** "A, B …": the last action is the one of all further lines. */
const transcripts = [...source.matchAll(BLOCK)].map(([, form, actions = '', _fence, body = '']) => {
  const names = actions
    .replace('…', '')
    .split(',')
    .map((name) => name.trim());
  return body
    .trim()
    .split(/\n\n(?=> )/)
    .map((turn, index): Line => {
      const [first = '', ...rest] = turn.split('\n');
      return {
        form,
        user: first.replace(/^> /, ''),
        agent: rest.join('\n'),
        action: names[Math.min(index, names.length - 1)] ?? '',
      };
    });
});

let folder: KnowledgeFolder;
let talk: Talk;
beforeAll(async () => {
  folder = knowledgeFolder();
  folder.write('decisions/network.md', '# Network\n\n## Retry With Jitter\n\nWait longer.\n');
  talk = await startTalk({ settings: folder.settings });
  await memoryOf(talk.runtime);
  await whenOf(talk.runtime);
  await hintsOf(talk.runtime);
  for (const action of hintActions) {
    if (!talk.runtime.actions.includes(action)) talk.runtime.registerAction(action);
  }
});
afterAll(async () => {
  await talk.agent.stop();
  folder.remove();
});

describe('docs/chat.md, docs/memory.md and docs/proactive.md', () => {
  it('has a transcript for every action', () => {
    const shown = new Set(transcripts.flat().map((line) => line.action));
    expect([...shown].sort()).toEqual([
      'ACKNOWLEDGE_WARNING',
      'BUMP_HINT',
      'CREATE_TRIGGER',
      'DELETE_TRIGGER',
      'DISMISS_OFFER',
      'EXPLAIN_TRIGGER',
      'FORGET_HINT',
      'FORGET_WORK_MEMORY',
      'GET_HINT',
      'LINK_WORK_MEMORIES',
      'LIST_TRIGGERS',
      'RECALL_WHEN',
      'RECALL_WORK_MEMORY',
      'REMEMBER_WHEN',
      'REPLY',
      'RUN_TRIGGER',
      'SET_HINT',
      'SET_TIME_ZONE',
      'STORE_WORK_MEMORY',
      'SYNTHESIZE_WISDOM',
      'UPDATE_TRIGGER',
    ]);
  });

  it.each(transcripts.map((lines, index) => ({ index, lines, first: lines[0]?.user })))(
    'says what the agent says to "$first" and on ($index)',
    async ({ index, lines }) => {
      const reader = await talk.alone(`reader-${index}`);
      // The page shows the agent of somebody who has told their zone.
      await talk.agent.triggers.rememberTimezone(reader.entityId, 'Europe/Berlin');
      await makeAdmin(talk.runtime, reader);
      const memories: string[] = [];
      const shown = (id: string) => {
        if (!memories.includes(id)) memories.push(id);
        return `mem_${String(memories.indexOf(id) + 1).padStart(8, '0')}`;
      };
      const { brain } = talk.agent;
      const before = brain.onSmall;
      for (const line of lines) {
        const { form } = line;
        brain.onSmall = form === undefined ? before : () => form;
        const said = line.user.replace(/mem_0{7}(\d)/g, (_, n) => memories[Number(n) - 1] ?? '');
        talk.answers(line.action === 'REPLY' ? line.agent : '');
        const reply = await talk.say(reader, said, line.action);
        const seen = reply
          .replace(/\[[0-9a-f]{8}\]/g, '[ID]')
          .replace(/mem_[0-9a-f]{8}/g, (id) => shown(id));
        expect(seen).toBe(line.agent);
      }
      brain.onSmall = before;
    },
  );
});
