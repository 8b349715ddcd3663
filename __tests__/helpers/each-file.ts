/** What each file of a worker begins with, whatever file came before it. */
import fc from 'fast-check';
import { forgetPglite } from './pglite.js';

// Properties look at the same cases in every run.
fc.configureGlobal({ seed: 20_240 });
// The host would go on with a database that an earlier file has closed.
forgetPglite();
