/** `npm run train -- gate`: makes src/proactive/gate-weights.json again from the sessions. */
import { writeFileSync } from 'node:fs';
import { makeWeights, printed } from './make.js';

const TARGET = new URL('../../src/proactive/gate-weights.json', import.meta.url);

export async function run(argv: string[]): Promise<number> {
  if (argv.length > 0) {
    console.error('npm run train -- gate');
    return 2;
  }
  writeFileSync(TARGET, printed(makeWeights((line) => console.error(line))));
  return 0;
}
