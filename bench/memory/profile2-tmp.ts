import { databaseOf } from '../../src/records/index.js';
import { bootPlain } from '../agent.js';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemory, snapshotIn } from './opened.js';
import { shortened } from '../statement-watch.js';
const directory=readdirSync(tmpdir()).filter(x=>x.startsWith('cue-bench-')).map(x=>join(tmpdir(),x)).sort((a,b)=>statSync(b).mtimeMs-statSync(a).mtimeMs)[0]!;
const agent=await bootPlain(directory); const client=(databaseOf(agent.runtime) as any).$client; const orig=client.execProtocolRawSync.bind(client);
let sums=new Map<string,[number,number,number]>(); let cur='';
client.execProtocolRawSync=(m:Uint8Array)=>{ if(m[0]===80||m[0]===81){const b=Buffer.from(m.buffer,m.byteOffset+5,m.byteLength-5);const from=m[0]===80?b.indexOf(0)+1:0;cur=shortened(b.toString('utf8',from,b.indexOf(0,from))).slice(0,110);} const f=performance.now(); const r=orig(m); const s=sums.get(cur)??[0,0,0]; s[0]+=performance.now()-f; if(m[0]===80||m[0]===81)s[1]++; sums.set(cur,s); return r;};
for(let round=0;round<3;round++){ rmSync(snapshotIn(directory),{force:true}); sums=new Map(); const f=performance.now(); const {service}=await openMemory(agent.runtime,directory); await service.settle(); const t=performance.now()-f; console.log('round',round,'cold ms',t.toFixed(0)); for(const [k,[ms,c]] of [...sums].sort((a,b)=>b[1][0]-a[1][0]).slice(0,3))console.log('   ',ms.toFixed(0),'ms in',c,k); await service.stop(); }
await agent.stop(); rmSync(directory,{recursive:true,force:true}); process.exit(0);
