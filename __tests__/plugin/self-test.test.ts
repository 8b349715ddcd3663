/** The suite that `elizaos test` runs, in an agent that has no model of its own. */
import { expect, it } from 'vitest';
import { createCuePlugin } from '../../src/index.js';
import { boot } from '../helpers/boot.js';
import { scriptedModel } from '../helpers/scripted-model.js';

const noModel = { name: 'no-model', description: 'brings no model' };

it('sees a trigger fire in a started agent, and that it does not with triggers switched off', async () => {
  const [suite] = createCuePlugin().tests ?? [];
  const [first] = suite?.tests ?? [];
  const inAgent = async (settings: Record<string, string>) => {
    const brain = { ...scriptedModel(), plugin: noModel };
    const agent = await boot({ slim: true, brain, settings });
    try {
      await first?.fn(agent.runtime);
    } finally {
      await agent.stop();
    }
  };
  expect(suite?.tests).toHaveLength(1);
  await inAgent({});
  await expect(inAgent({ CUE_TRIGGERS_ENABLED: 'false' })).rejects.toThrow('switched off');
});
