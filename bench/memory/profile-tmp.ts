import { analyze } from '../../src/shared/text.js';
import { workMemoryType } from '../../src/memory/index.js';
import { databaseOf } from '../../src/records/index.js';
import { bootPlain, benchDirectory } from '../agent.js';
import { rmSync } from 'node:fs';
import { openMemory, snapshotIn } from './opened.js';
import { fill } from './fill.js';
import { dataAt, idAt, drawsOf } from './workload.js';
let n=0,w=0,k=0;const f=new Map<string,number>();const tg=new Map<string,number>();for(let i=0;i<2000;i++){const d=dataAt(i,idAt(0));n+=JSON.stringify(d).length;const e=workMemoryType.index!(d,0);k+=e.keys.length;for(const x of e.fields)w+=analyze(x.text).length;for(const x of d.files)f.set(x,(f.get(x)??0)+1);for(const x of d.tags)tg.set(x,(tg.get(x)??0)+1);}
console.log('json',n/2000,'words',w/2000,'keys',k/2000,'top file',Math.max(...f.values())/2000,'top tag',Math.max(...tg.values())/2000);
const directory=benchDirectory(); const size=2000;
await fill({part:'fill',size,quick:true,directory});
