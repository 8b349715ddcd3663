/** Global setup: the folder of the run in which `template.ts` keeps its database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'cue-template-'));
  process.env.CUE_TEST_TEMPLATE = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
