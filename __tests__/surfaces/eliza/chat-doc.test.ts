/** Runs every transcript of docs/chat.md: each block with a person nobody has talked to. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTalk, type Talk } from './talk.js';

interface Line {
  user: string;
  agent: string;
  action: string;
}

const source = readFileSync(new URL('../../../docs/chat.md', import.meta.url), 'utf8');
const BLOCK = /<!-- chat: (.+?) -->\n```\n([\s\S]+?)```/g;

/** "A, B …": the last action is the one of all further lines. */
const transcripts = [...source.matchAll(BLOCK)].map(([, actions = '', body = '']) => {
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
        user: first.replace(/^> /, ''),
        agent: rest.join('\n'),
        action: names[Math.min(index, names.length - 1)] ?? '',
      };
    });
});

let talk: Talk;
beforeAll(async () => {
  talk = await startTalk();
});
afterAll(() => talk.agent.stop());

describe('docs/chat.md', () => {
  it('has a transcript for every action', () => {
    const shown = new Set(transcripts.flat().map((line) => line.action));
    expect([...shown].sort()).toEqual([
      'CREATE_TRIGGER',
      'DELETE_TRIGGER',
      'EXPLAIN_TRIGGER',
      'LIST_TRIGGERS',
      'RUN_TRIGGER',
      'SET_TIME_ZONE',
      'UPDATE_TRIGGER',
    ]);
  });

  it.each(transcripts.map((lines, index) => ({ index, lines, first: lines[0]?.user })))(
    'says what the agent says to "$first" and on ($index)',
    async ({ index, lines }) => {
      const reader = await talk.alone(`reader-${index}`);
      // The page shows the agent of somebody who has told their zone.
      await talk.agent.triggers.rememberTimezone(reader.entityId, 'Europe/Berlin');
      for (const line of lines) {
        const reply = await talk.say(reader, line.user, line.action);
        expect(reply.replace(/\[[0-9a-f]{8}\]/g, '[ID]')).toBe(line.agent);
      }
    },
  );
});
