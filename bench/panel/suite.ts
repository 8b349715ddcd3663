/** `npm run bench -- panel`: the long lists of the panel in Chromium, beside a page that holds all rows. */
import { rmSync } from 'node:fs';
import { benchDirectory } from '../agent.js';
import { buildCommands } from '../built.js';
import { inChild } from '../in-child.js';
import type { PartRequest } from '../memory/protocol.js';
import { type Row, rowOf, type SuiteOptions } from '../stats.js';
import type { PanelReport, Scrolled } from './child.js';

const MEMORIES = 100_000;
const QUICK = 2_000;
/** Of the memories. */
const TRIGGERS_SHARE = 0.1;
/** From here on a browser calls a task long. */
const LONG_FRAME_MS = 50;

export async function panelRows({ sizes, quick, say }: SuiteOptions): Promise<Row[]> {
  await buildCommands(say);
  const rows: Row[] = [];
  for (const size of sizes ?? [quick ? QUICK : MEMORIES]) {
    const directory = benchDirectory();
    const triggers = Math.round(size * TRIGGERS_SHARE);
    try {
      say(`${size} memories: import …`);
      const fill: PartRequest = { part: 'fill', size, quick, directory };
      const name = `the panel bench at ${size}`;
      await inChild(new URL('../memory/child.ts', import.meta.url), fill, {
        name,
        flags: ['--expose-gc'],
      });
      say(`${size} memories and ${triggers} triggers: scrolling …`);
      const report = await inChild<PanelReport>(
        new URL('./child.ts', import.meta.url),
        { directory, triggers },
        { name },
      );
      rows.push(
        ...rowsOf('memories', size, report.memories, report.allRows),
        ...rowsOf('triggers', triggers, report.triggers),
      );
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return rows;
}

function rowsOf(what: string, at: number, ours: Scrolled, beside?: Scrolled): Row[] {
  return [
    rowOf({
      id: `panel.${what}.open`,
      what: `${what}: until the first rows stand`,
      at,
      ours: [ours.openMs],
      ...(beside && { beside: [beside.openMs] }),
    }),
    rowOf({
      id: `panel.${what}.frame`,
      what: `${what}: between two frames, scrolled to the end`,
      at,
      ours: ours.frames,
      ...(beside && { beside: beside.frames }),
      judged: 'p99',
      budget: LONG_FRAME_MS,
      note: `${ours.rows} rows in ${Math.round(ours.tookMs / 1_000)} s; longest frame ${Math.round(Math.max(...ours.frames))} ms, ${ours.unfilled} frames where rows had not come yet`,
    }),
  ];
}
