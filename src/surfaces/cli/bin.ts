#!/usr/bin/env node
/** The `cue` command: the real process around `run`. */
import { systemClock } from '../../shared/clock.js';
import { readStandardInput, standardStreams } from './print.js';
import { run } from './program.js';

process.exitCode = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  parentPid: process.ppid,
  clock: systemClock,
  stdin: readStandardInput,
  ...standardStreams(),
});
