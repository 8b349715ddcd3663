#!/usr/bin/env node
/** The `nudge` command. The build makes one file of it and of `get`, for which an agent waits before each build. */
import { run } from '../surfaces/cli/nudge/get.js';
import { endWith, realIo } from '../surfaces/cli/real-io.js';

const argv = process.argv.slice(2);
const ended =
  argv[0] === 'get'
    ? run(argv, realIo())
    : import('./commands.js').then(({ nudge }) => nudge(argv));
void ended.then(endWith);
