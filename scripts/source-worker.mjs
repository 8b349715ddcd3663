/**
 * Starts a module of `src/` in a worker thread when Cue runs from its sources (tests, evaluations): Node
 * 20 does not hand a loader of the main thread on to workers.
 */
import { register } from 'tsx/esm/api';

register();
await import(`../src/${process.argv[2]}.ts`);
