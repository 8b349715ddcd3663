import type { Action, Provider } from '@elizaos/core';

export const triggerActions: Action[] = [];
export const triggersProvider: Provider = {
  name: 'TRIGGERS',
  get: async () => ({ text: '' }),
};
