/** A small `/when` index on the disk, and the service of a booted agent that reads it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import { WHEN, type WhenService } from '../../src/when/index.js';

export interface KnowledgeFolder {
  index: string;
  decisions: string;
  /** Of the plugin, so that it reads this folder. */
  settings: Record<string, string>;
  write(file: string, text: string): void;
  remove(): void;
}

const INDEX = `# Memory Index

## testing.md

/when writing mock tests | Mock Patching Pattern | patch where the object is used, not where defined
/when organizing test files | Test Module Split Strategy | split test modules by behaviour under test

## modules.md

/when splitting modules | Module Split | one reason to change for each module of the system
`;
const TESTING = `# Testing

## .Mock Patching

### Mock Patching Pattern

Patch where the object is used.

\`\`\`py
@patch("billing.client.post")
\`\`\`

### Test Module Split Strategy

One module for each behaviour.
`;
const MODULES = `# Modules

## Module Split

Split by reason to change.
`;

export function knowledgeFolder(): KnowledgeFolder {
  const folder = mkdtempSync(join(tmpdir(), 'cue-when-'));
  const index = join(folder, 'memory-index.md');
  const decisions = join(folder, 'decisions');
  mkdirSync(decisions);
  writeFileSync(index, INDEX);
  writeFileSync(join(decisions, 'testing.md'), TESTING);
  writeFileSync(join(decisions, 'modules.md'), MODULES);
  return {
    index,
    decisions,
    settings: { CUE_WHEN_INDEX: index, CUE_WHEN_DECISIONS: decisions },
    write: (file, text) => writeFileSync(join(folder, file), text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The service once it has read its files. */
export async function whenOf(runtime: IAgentRuntime): Promise<WhenService> {
  const service = await runtime.getServiceLoadPromise(WHEN as ServiceTypeName);
  const when = service as WhenService;
  await when.settled();
  return when;
}
