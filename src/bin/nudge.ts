#!/usr/bin/env node
/** The `nudge` command. The build makes one file of it and of `get`, for which an agent waits before each build. */
import { quickGet } from '../surfaces/cli/nudge/get.js';
import { endWith, realIo } from '../surfaces/cli/real-io.js';

const argv = process.argv.slice(2);
const quick = argv[0] === 'get' ? quickGet(argv, realIo()) : null;
const ended = quick ?? import('./commands.js').then(({ nudge }) => nudge(argv));
void ended.then(endWith);
