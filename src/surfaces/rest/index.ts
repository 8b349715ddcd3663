import type { Route } from '@elizaos/core';

export function createRoutes(_deps: { apiKey: () => string | undefined }): Route[] {
  return [];
}
