/** A model provider that answers from a script, registered as any other model plugin. */
import { ModelType, type Plugin } from '@elizaos/core';

export interface ModelCall {
  type: 'large' | 'small';
  prompt: string;
}

export interface Brain {
  plugin: Plugin;
  calls: ModelCall[];
  /** Answers of the main model, asked with the whole prompt; replaced by tests. */
  onLarge: (prompt: string) => Promise<string> | string;
  onSmall: (prompt: string) => Promise<string> | string;
}

/** A plan in the form the host parses (ELIZA_GUIDE §4). */
export function plan(text: string, actions = 'REPLY', thought = 'ok'): string {
  return `<response><thought>${thought}</thought><actions>${actions}</actions><providers></providers><text>${text}</text></response>`;
}

export function scriptedModel(): Brain {
  const brain: Brain = {
    calls: [],
    onLarge: () => plan('done'),
    onSmall: () => '<response><action>RESPOND</action></response>',
    plugin: {
      name: 'scripted-model',
      description: 'answers from a script',
      models: {
        [ModelType.TEXT_LARGE]: async (_runtime: unknown, params: { prompt: string }) => {
          brain.calls.push({ type: 'large', prompt: params.prompt });
          return brain.onLarge(params.prompt);
        },
        [ModelType.TEXT_SMALL]: async (_runtime: unknown, params: { prompt: string }) => {
          brain.calls.push({ type: 'small', prompt: params.prompt });
          return brain.onSmall(params.prompt);
        },
        [ModelType.TEXT_EMBEDDING]: async () => new Array<number>(384).fill(0.01),
      },
    },
  };
  return brain;
}
