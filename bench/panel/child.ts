/// <reference lib="dom" />
/** An agent, its panel, and a browser that scrolls the lists as fast as it draws. */
import type { ServiceTypeName } from '@elizaos/core';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../scripts/panel/served.js';
import { WorkMemoryService } from '../../src/memory/index.js';
import { startListener } from '../../src/surfaces/rest/index.js';
import { bootCue } from '../agent.js';
import { answerParent } from '../in-child.js';
import { farDraft } from '../triggers/workload.js';

export interface Scrolled {
  openMs: number;
  tookMs: number;
  rows: number;
  /** Milliseconds from each frame to the next. */
  frames: number[];
  /** Frames in which a part of the box had no row. */
  unfilled: number;
}

export interface PanelReport {
  memories: Scrolled;
  triggers: Scrolled;
  /** The same number of rows as memories, all of them in the page. */
  allRows: Scrolled;
}

/** Per frame; quicker than a wheel turns. */
const STEP_PX = 1_200;

/** Runs in the page, as text, so that no helper of a compiler is missing there. */
const SCROLL = `(async () => {
  const box = document.querySelector('.list');
  const frames = [];
  let unfilled = 0;
  let last = performance.now();
  // It ends with the last of all rows, or when none comes for ten seconds.
  const isEnd = () => {
    const shown = [...box.querySelectorAll('.row')].pop();
    return shown.ariaSetSize === null || shown.ariaPosInSet === shown.ariaSetSize;
  };
  for (let still = 0; still < 600 && !(still > 60 && isEnd()); ) {
    const before = box.scrollTop;
    box.scrollTop += ${STEP_PX};
    still = box.scrollTop === before ? still + 1 : 0;
    const now = await new Promise((done) => requestAnimationFrame(done));
    frames.push(Math.max(0, now - last));
    last = now;
    const shown = box.querySelectorAll('.row');
    const { top, bottom } = box.getBoundingClientRect();
    const from = shown[0]?.getBoundingClientRect().top ?? bottom;
    const to = shown[shown.length - 1]?.getBoundingClientRect().bottom ?? top;
    if (from > top + 2 || to < bottom - 2) unfilled += 1;
  }
  const rows = Math.max(...[...box.querySelectorAll('.row')].slice(-100).map((row) => Number(row.dataset.index))) + 1;
  return { frames, unfilled, rows };
})()`;

async function scrolled(page: Page, open: () => Promise<unknown>): Promise<Scrolled> {
  const from = performance.now();
  await open();
  await page.locator('.list .row').first().waitFor({ timeout: 300_000 });
  const openMs = performance.now() - from;
  const begun = performance.now();
  const seen = await page.evaluate<Pick<Scrolled, 'frames' | 'unfilled' | 'rows'>>(SCROLL);
  return { openMs, tookMs: performance.now() - begun, ...seen };
}

function pageOfAllRows(count: number): string {
  const row = (index: number) =>
    `<div class="row" data-index="${index}"><b>success</b> <a href="#">memory ${index} of what was done</a><p>what came of it, in a line</p></div>`;
  return `<style>.list{height:800px;overflow:auto}.row{height:59px}</style><div class="list">${Array.from({ length: count }, (_, index) => row(index)).join('')}</div>`;
}

answerParent(async (request: { directory: string; triggers: number }): Promise<PanelReport> => {
  const agent = await bootCue({}, request.directory);
  const memory = await agent.runtime.getServiceLoadPromise(
    WorkMemoryService.serviceType as ServiceTypeName,
  );
  if (!(memory instanceof WorkMemoryService)) throw new Error('the work memory did not start');
  await memory.settle();
  const nowMs = Date.now();
  const drafts = Array.from({ length: request.triggers }, (_, index) => farDraft(index, nowMs));
  await agent.triggers.createMany(drafts, { requester: { kind: 'operator' } });
  const listener = await startListener({ runtime: agent.runtime, port: 0 });
  const browser = await openBrowser();
  try {
    const at = (screen: string) => `http://127.0.0.1:${listener.port}/cue/panel#/${screen}`;
    const newPage = () => browser.newPage({ viewport: { width: 1_400, height: 900 } });
    const [first, second, third] = [await newPage(), await newPage(), await newPage()];
    const memories = await scrolled(first, () => first.goto(at('memory')));
    await first.close();
    const triggers = await scrolled(second, () => second.goto(at('triggers')));
    await second.close();
    const allRows = await scrolled(third, () => third.setContent(pageOfAllRows(memories.rows)));
    return { memories, triggers, allRows };
  } finally {
    await browser.close();
    await listener.close();
    await agent.stop();
  }
});
