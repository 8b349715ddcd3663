import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startProcess } from './child.js';
import { createClient } from './client.js';
import { secondAct } from './second-act.js';
import { createTranscript } from './transcript.js';
const out = createTranscript((line) => console.log(line));
const directory = mkdtempSync(join(tmpdir(), 'h-demo-'));
const server = await startProcess(directory, await freePort());
const client = createClient(server.url);
let bad = 0;
try { await secondAct(client, await client.agentId(), out); } catch (e) { bad = 1; console.log(String(e), (e as Error).stack?.split('\n').slice(0,4).join('\n'));
 console.log(JSON.stringify((await client.call('GET','/cue/offers')).body, null, 1).slice(0, 5000));
 console.log(JSON.stringify((await client.call('GET','/cue/offers/decisions?limit=6')).body, null, 1).slice(0, 6000));
 console.log(server.output().split('\n').slice(-20).join('\n')); }
await server.stop();
rmSync(directory, { recursive: true, force: true });
process.exit(bad);
