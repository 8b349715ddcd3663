/** `cue://when`: the index of the project's decisions; `cue://when/{trigger}`: what one line leads to. */
import type { IAgentRuntime } from '@elizaos/core';
import {
  followedWhen,
  knowledgeBlock,
  recallText,
  startedWhen,
} from '../../../operations/index.js';
import { AppError } from '../../../shared/errors.js';
import { addTo } from '../../../shared/multimap.js';
import type { ShownEntry } from '../../../when/index.js';
import type { ResourceSpec } from './types.js';

const COMMAND = /^\/(?:when|how)\s+/;

export const whenResources: readonly ResourceSpec[] = [
  {
    uri: 'cue://when',
    name: 'when',
    title: 'Index of decisions',
    description: 'Every /when line of the project: trigger, header, description.',
    mimeType: 'text/plain',
    isThere: hasIndex,
    async read(_value, { runtime }) {
      const entries = await (await followedWhen(runtime)).entries();
      if (entries.length === 0) return { text: 'The index has no entries.' };
      const groups = new Map<string, ShownEntry[]>();
      for (const entry of entries) addTo(groups, entry.file, entry);
      const parts = [...groups].map(([file, lines]) =>
        [
          `## ${file}`,
          ...lines.map((one) => [one.command, one.header, one.description].join(' | ')),
        ].join('\n'),
      );
      return { text: knowledgeBlock(parts.join('\n\n')) };
    },
  },
  {
    uri: 'cue://when/{trigger}',
    name: 'decision',
    title: 'Decision',
    description: 'The decision or recipe that a trigger of the index leads to.',
    mimeType: 'text/plain',
    isThere: hasIndex,
    async read(trigger, { runtime, session }) {
      const recall = await (await followedWhen(runtime)).recall(trigger, session.caller());
      if (recall.results.some(({ found }) => found !== 'none')) return { text: recallText(recall) };
      const suggestions = recall.results.flatMap((answer) => answer.suggestions);
      throw new AppError('NOT_FOUND', 'nothing in the index is like that', { suggestions });
    },
    async complete(_begun, { runtime }) {
      const entries = await (await followedWhen(runtime)).entries();
      return { values: entries.map(({ command }) => command.replace(COMMAND, '')) };
    },
  },
];

function hasIndex(runtime: IAgentRuntime): boolean {
  try {
    return startedWhen(runtime).configured;
  } catch {
    return false;
  }
}
