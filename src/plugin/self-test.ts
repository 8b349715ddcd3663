/** What `elizaos test` runs in the agent that it starts with the plugin: a trigger comes due and is carried out. */
import { type IAgentRuntime, ModelType, type TestSuite } from '@elizaos/core';
import { serviceStart } from '../host/index.js';
import { SECOND_MS } from '../shared/clock.js';
import { type Requester, type TriggerRun, TriggerService } from '../triggers/index.js';

const OPERATOR: Requester = { kind: 'operator' };
const WAIT_MS = 30 * SECOND_MS;
const LOOK_MS = 250;
const ANSWER = 'The trigger has fired.';
/** Above every model of the agent under test: nothing is sent to a provider. */
const FIRST = 2_000_000;

export const selfTest: TestSuite = {
  name: 'cue',
  tests: [{ name: 'a trigger comes due and the agent answers', fn: firesOne }],
};

async function firesOne(runtime: IAgentRuntime): Promise<void> {
  const triggers = await serviceStart(runtime, TriggerService, WAIT_MS);
  if (!triggers) throw new Error('the trigger service did not start');
  for (const type of [ModelType.TEXT_LARGE, ModelType.TEXT_SMALL]) {
    runtime.registerModel(type, async () => planned(), 'cue-self-test', FIRST);
  }
  const made = await triggers.create(
    {
      instructions: 'say that the trigger has fired',
      schedule: {
        triggerType: 'once',
        scheduledAtIso: new Date(triggers.now() + 2 * SECOND_MS).toISOString(),
      },
    },
    { requester: OPERATOR, source: 'operator' },
  );
  if (!('trigger' in made)) throw new Error('the trigger was not created');
  const run = await endOf(triggers, made.trigger.id);
  if (run.status !== 'success') {
    throw new Error(`the run ended as ${run.status}: ${run.error ?? run.reason ?? 'no reason'}`);
  }
}

async function endOf(triggers: TriggerService, id: string): Promise<TriggerRun> {
  for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
    const { runs } = await triggers.runs(id, { limit: 1 }, OPERATOR);
    const [run] = runs;
    if (run !== undefined && run.status !== 'running' && run.status !== 'deferred') return run;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`the trigger did not fire within ${WAIT_MS / SECOND_MS} seconds`);
}

function planned(): string {
  return `<response><thought>fired</thought><action>RESPOND</action><actions>REPLY</actions><providers></providers><text>${ANSWER}</text></response>`;
}
