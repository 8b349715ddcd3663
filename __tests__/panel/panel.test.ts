/// <reference lib="dom" />
/** The panel in Chromium, on a server of `npm start`: what people see, can do, and must be safe from. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type axe from 'axe-core';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fill, openBrowser, type Served, serve } from '../../scripts/panel/served.js';
import { freePort } from '../helpers/free-port.js';

const SCREENS = ['Today', 'Triggers', 'Memory', 'Offers', 'Knowledge', 'Settings'] as const;
const TABS = ['triggers/runs', 'offers/decisions', 'offers/quality', 'knowledge/hints'];
const ATTACK = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PANEL = join(import.meta.dirname, '..', '..', 'dist', 'panel');
const KEY = 'a key of this test';

let browser: Browser;
const pages: Page[] = [];
const problems: string[] = [];

/** A page that notes what must never happen on it: errors, and requests to anybody else. */
async function newPage(origin: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 }, ...options });
  pages.push(page);
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) problems.push(message.text());
  });
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.origin !== origin && asked.protocol.startsWith('http')) problems.push(request.url());
  });
  return page;
}

async function open(served: Served, screen = 'today', options?: BrowserContextOptions) {
  const page = await newPage(served.url, options);
  await page.goto(`${served.url}/cue/panel?agentId=${served.agentId}#/${screen}`);
  await settled(page);
  return page;
}

/** The screen stands, and nothing of it is still being loaded. */
async function settled(page: Page | Frame): Promise<void> {
  await page.locator('main h1').waitFor();
  await expect.poll(() => page.locator('.loading').count()).toBe(0);
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}

beforeAll(async () => {
  browser = await openBrowser();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
  expect(problems.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
});

describe('panel', () => {
  let served: Served;
  let dataDir: string;
  let port: number;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cue-panel-'));
    port = await freePort();
    served = await serve({ dataDir, port });
    await fill(served);
  });
  afterAll(async () => {
    await served?.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const everywhere = [...SCREENS.map((name) => name.toLowerCase()), ...TABS];
  for (const screen of everywhere) {
    it(`shows ${screen} to everybody: no violation of axe, no scrolling sideways, no squeezed text`, async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await open(served, screen, { colorScheme });
        const name = await page.locator('main h1').textContent();
        expect(name?.toLowerCase()).toBe(screen.split('/')[0]);
        for (const width of [1_400, 420, 360]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await violations(page), `${colorScheme} at ${width} px`).toEqual([]);
          const over = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect(over, `pixels too wide at ${width} px`).toBe(0);
          const squeezed = await page
            .locator('main .grow')
            .evaluateAll((all) =>
              all
                .filter((one) => one.getBoundingClientRect().width < 120)
                .map(({ textContent }) => textContent),
            );
          expect(squeezed, `a word a line at ${width} px`).toEqual([]);
        }
      }
    });
  }

  it('tells on Today what is due, what ran and which warning waits', async () => {
    const page = await open(served);
    await page.getByRole('heading', { name: 'Waiting for an answer' }).waitFor();
    const due = page.getByRole('region', { name: 'The next 24 hours' });
    await due.getByRole('link', { name: 'look whether the build is green' }).first().waitFor();
    const ran = page.getByRole('region', { name: 'Last runs' });
    await ran.getByText('success').first().waitFor();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page
      .getByRole('heading', { name: 'Waiting for an answer' })
      .waitFor({ state: 'detached' });
  });

  it('shows what happens elsewhere within two seconds, without being loaded again', async () => {
    const page = await open(served, 'triggers');
    await page.getByText('Live').waitFor();
    const began = Date.now();
    await served.ask('/triggers', { text: 'every day at 6', instructions: 'feed the heron' });
    await page.getByText('feed the heron').first().waitFor();
    // The server tells within two seconds; a busy machine may take longer to draw it.
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('is used by keyboard alone, from the frame to a trigger that is created', async () => {
    const page = await open(served);
    await page.keyboard.press('Tab');
    await expect.poll(() => focusedText(page)).toBe('Skip to the content');
    for (const name of ['Today', 'Triggers']) {
      await page.keyboard.press('Tab');
      expect(await focusedText(page)).toBe(name);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Triggers', level: 1 }).waitFor();
    await settled(page);
    const sentence = page.getByRole('textbox').first();
    for (let n = 0; n < 12 && !(await isFocused(sentence)); n += 1)
      await page.keyboard.press('Tab');
    expect(await isFocused(sentence)).toBe(true);
    await page.keyboard.type('every monday at 7 water the ferns');
    // Its next runs stand below it: what cannot be read yet cannot be created either.
    await expect.poll(() => page.locator('#compose-reading time').count()).toBe(5);
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => JSON.stringify(await served.ask('/triggers?q=ferns')))
      .toContain('water the ferns');
  });

  it('runs nothing that a memory, a trigger, a hint or an offer holds', async () => {
    await served.ask('/triggers', { text: 'every day at 5', instructions: ATTACK });
    const { memory_id } = await served.ask('/memories', {
      intent: { goal: ATTACK, task_type: 'bug_fix', constraints: [ATTACK] },
      outcome: { success: false, summary: ATTACK, learnings: [ATTACK] },
      files: ['javascript:alert(1)', 'src/attacked.ts'],
      tags: [ATTACK.slice(0, 40)],
      remind_when: [ATTACK],
    });
    await served.ask('/rpc', {
      ...{ jsonrpc: '2.0', id: 1, method: 'nudge.set_hint' },
      params: { component: 'attacked', key: 'build', value: ATTACK },
    });
    await served.ask('/events', {
      type: 'file_touch',
      filePath: 'src/attacked.ts',
      sessionId: 'a',
    });
    const page = await open(served);
    for (const screen of [...SCREENS.map((name) => name.toLowerCase()), `memory/${memory_id}`]) {
      await page.goto(`${served.url}/cue/panel#/${screen}`);
      await settled(page);
      await page.waitForTimeout(300);
      expect(await page.evaluate(() => 'attacked' in window)).toBe(false);
    }
    await page.getByText('onerror').first().waitFor();
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
  });

  it('keeps only the visible rows of a long list in the page', async () => {
    const triggers = Array.from({ length: 1_500 }, (_, n) => ({
      text: `every day at ${n % 24}:${String(n % 60).padStart(2, '0')}`,
      instructions: `long list ${n}`,
    }));
    for (let n = 0; n < triggers.length; n += 500) {
      await served.ask('/triggers/batch', { triggers: triggers.slice(n, n + 500) });
    }
    const page = await open(served, 'triggers');
    const rows = page.getByRole('listitem');
    await expect.poll(() => rows.count()).toBeGreaterThan(5);
    expect(await rows.count()).toBeLessThan(100);
    const list = page.locator('.list');
    for (let n = 0; n < 8; n += 1) {
      await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
      await page.waitForTimeout(300);
    }
    await expect
      .poll(() => list.evaluate((box) => box.scrollHeight / box.clientHeight))
      .toBeGreaterThan(20);
    expect(await rows.count()).toBeLessThan(100);
  });

  it('shows what changes in a long list, however far down one has scrolled', async () => {
    const page = await open(served, 'triggers');
    const list = page.locator('.list');
    // More than the five pages that are read again as a whole.
    await expect
      .poll(async () => {
        await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
        return list.evaluate((box) => box.scrollHeight / 59);
      })
      .toBeGreaterThan(700);
    await list.evaluate((box) => box.scrollTo(0, 650 * 59));
    // One of those that are drawn there now.
    const row = page.locator('.row[data-index="655"]');
    const name = (await row.getByRole('link').textContent()) ?? '';
    const same = page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
    await same.getByRole('button', { name: `Pause ${name}`, exact: true }).click();
    await same.getByRole('button', { name: `Resume ${name}`, exact: true }).waitFor();
    const { triggers } = (await served.ask(`/triggers?q=${encodeURIComponent(name)}`)) as {
      triggers: { id: string; displayName: string }[];
    };
    const { id } = triggers.find(({ displayName }) => displayName === name) ?? { id: '' };
    await served.ask(`/triggers/${id}`, { displayName: 'named anew elsewhere' }, 'PUT');
    await page.getByText('named anew elsewhere').first().waitFor();
    await served.ask(`/triggers/${id}`, undefined, 'DELETE');
    await page.getByText('named anew elsewhere').first().waitFor({ state: 'detached' });
  });

  it('says when an answer was cut off, and asks again when told to', async () => {
    const page = await newPage(served.url);
    const asked = '**/cue/triggers?*';
    await page.route(asked, (route) => route.fulfill({ status: 200, body: '{"triggers":[{"id' }));
    await page.goto(`${served.url}/cue/panel#/triggers`);
    await page.getByText('The answer of the server was cut off.').waitFor();
    await page.unroute(asked);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('list', { name: 'Triggers' }).waitFor();
  });

  it('deletes when the time to undo is over, or when the page is left, and not when undone', async () => {
    const made = async (instructions: string): Promise<string> => {
      const { trigger } = await served.ask('/triggers', { text: 'every day at 4', instructions });
      return (trigger as { id: string }).id;
    };
    const isThere = (id: string): Promise<boolean> =>
      served.ask(`/triggers/${id}`).then(
        () => true,
        () => false,
      );
    const removed = async (page: Page, id: string): Promise<void> => {
      await page.goto(`${served.url}/cue/panel#/triggers/${id}`);
      await page
        .getByRole('button', { name: /^More for/ })
        .last()
        .click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText('Deleted “').first().waitFor();
    };
    const page = await open(served, 'triggers');
    const undone = await made('undone');
    await removed(page, undone);
    await page.getByRole('button', { name: 'Undo' }).click();
    const over = await made('over');
    await removed(page, over);
    expect(await isThere(over)).toBe(true);
    await expect.poll(() => isThere(over), { timeout: 20_000 }).toBe(false);
    const left = await made('left');
    await removed(page, left);
    await page.goto('about:blank');
    await expect.poll(() => isThere(left)).toBe(false);
    expect(await isThere(undone)).toBe(true);
  });

  it('takes a limit away from a trigger when its field is emptied', async () => {
    const { trigger } = await served.ask('/triggers', {
      ...{ text: 'every day at 3', instructions: 'limited', maxRuns: 5 },
    });
    const { id } = trigger as { id: string };
    const page = await open(served, `triggers/${id}/edit`);
    const field = page.getByLabel('Most runs');
    await expect.poll(() => field.inputValue()).toBe('5');
    await field.fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved “limited”').waitFor();
    expect(await served.ask(`/triggers/${id}`)).not.toHaveProperty('trigger.maxRuns');
  });

  it('puts a run that failed first on Today, with a reason that can be read', async () => {
    const reason = 'the mail server refused the sender: 550 unknown domain example.test';
    const page = await newPage(served.url);
    const { runs } = (await served.ask('/runs?limit=50')) as { runs: { triggerRunId: string }[] };
    const { triggerRunId } = runs.at(-1) ?? { triggerRunId: '' };
    const failed = <Run extends { triggerRunId: string }>(run: Run) =>
      run.triggerRunId === triggerRunId ? { ...run, status: 'failed', error: reason } : run;
    // The model of the demo does all that it is told.
    await page.route(/\/cue\/runs[?/]/, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const json = answer.runs
        ? { ...answer, runs: answer.runs.map(failed) }
        : { ...answer, run: failed(answer.run) };
      await route.fulfill({ response, json });
    });
    await page.goto(`${served.url}/cue/panel#/today`);
    await settled(page);
    const first = page.getByRole('region', { name: 'Last runs' }).getByRole('listitem').first();
    expect(await first.textContent()).toContain('failed');
    expect(await first.textContent()).toContain(reason);
    await first.getByRole('link').click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(reason).waitFor();
    const { width = 0, height = 0 } = (await drawer.getByText(reason).boundingBox()) ?? {};
    expect(Math.min(width, height)).toBeGreaterThan(10);
  });

  it('forgets by one key what was captured by itself, also while one searches', async () => {
    const { memories } = (await served.ask('/export')) as { memories: { data: object }[] };
    const id = randomUUID();
    await served.ask('/import', [
      {
        ...memories[0],
        id,
        data: {
          ...memories[0]?.data,
          intent: { goal: 'Polled the zeppelin timetable', task_type: 'other', constraints: [] },
          origin: 'captured',
        },
      },
    ] as object);
    const page = await open(served, 'memory');
    await page.getByLabel('Search memories').fill('zeppelin timetable');
    await page.getByText('surest first').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'Polled the zeppelin' });
    await row.waitFor();
    await row.focus();
    await page.keyboard.press('x');
    await row.waitFor({ state: 'detached' });
    const gone = () => served.ask(`/memories/${id}`).catch(() => 'gone');
    await expect.poll(gone, { timeout: 20_000 }).toBe('gone');
  });

  it('finds by what an offer prints: a file, a tag, an id, a whole line', async () => {
    const goal = 'Measured the sundial by hand';
    const { memory_id } = await served.ask('/memories', {
      ...{ intent: { goal, task_type: 'other', constraints: [] }, files: ['src/sundial.ts'] },
      ...{ outcome: { success: true, summary: 'exact' }, tags: ['gnomon'] },
    });
    const page = await open(served, 'memory');
    const field = page.getByLabel('Search memories');
    const rows = page.getByRole('list', { name: 'Memories' }).getByRole('listitem');
    for (const ref of [
      ...['file:sundial.ts', 'tag:gnomon', `${memory_id}`],
      'recall("file:sundial.ts", depth: "reasoning")',
    ]) {
      await field.fill(ref);
      await page.getByText('1 memory in').waitFor();
      expect(await rows.allTextContents()).toEqual([expect.stringContaining(goal)]);
      await field.fill('nothing like that zzz');
      await page.getByText('Nothing found').waitFor();
    }
  });

  it('deletes one thing by a double click, and keeps the focus where it was', async () => {
    for (const key of ['one', 'two', 'three']) {
      await served.ask('/rpc', {
        ...{ jsonrpc: '2.0', id: 1, method: 'nudge.set_hint' },
        params: { component: 'focus', key, value: key },
      });
    }
    const page = await open(served, 'knowledge/hints');
    await page.getByLabel('Search hints').fill('focus');
    const left = page.getByRole('button', { name: /^Delete focus/ });
    expect(await left.count()).toBe(3);
    await left.first().dblclick();
    await expect.poll(() => left.count()).toBe(2);
    await left.first().focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => left.count()).toBe(1);
    await expect.poll(() => isFocusedIn(page, '[role="listitem"]')).toBe(true);
    await left.first().focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => left.count()).toBe(0);
    await expect.poll(() => isFocusedIn(page, 'main')).toBe(true);
  });

  it('keeps the focus when something is created, refused or deleted', async () => {
    const page = await open(served, 'triggers');
    await page.getByLabel('When, and what to do').fill('in 2 hours: wind the clock');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await expect.poll(() => create.isEnabled()).toBe(true);
    await create.click();
    await page.getByText('Created “wind the clock”').waitFor();
    await expect.poll(() => isFocused(page.getByLabel('When, and what to do'))).toBe(true);
    // Two hours less a second are no "in 1 hr.".
    const row = page.getByRole('listitem').filter({ hasText: 'wind the clock' });
    await row.getByText('in 2 hr.').waitFor();
    await row.getByRole('button', { name: /^More for/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('role')))
      .toBe('listitem');

    const { memories } = (await served.ask('/memories?limit=1')) as { memories: { id: string }[] };
    await page.goto(`${served.url}/cue/panel#/memory/${memories[0]?.id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Goal').fill(' ');
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Goal must not be empty').waitFor();
    expect(await isFocused(page.getByRole('button', { name: 'Save' }))).toBe(true);
  });

  it('says what is gone, also of what is open when it goes', async () => {
    // Long before it goes: the stream tells nothing of what comes and goes between two looks.
    const { trigger } = await served.ask('/triggers', {
      ...{ text: 'every day at 2', instructions: 'soon gone' },
    });
    const { id } = trigger as { id: string };
    const page = await open(served);
    for (const address of ['triggers/nonsense', 'triggers/nonsense/run', 'offers/nonsense']) {
      await page.goto(`${served.url}/cue/panel#/${address}`);
      const drawer = page.getByRole('dialog');
      await drawer.getByText('It is gone.').waitFor();
      expect(await drawer.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await expect.poll(() => isFocusedIn(page, 'main')).toBe(true);
    }
    await page.goto(`${served.url}/cue/panel#/triggers/${id}`);
    await page.getByRole('button', { name: 'Run now' }).waitFor();
    await served.ask(`/triggers/${id}`, undefined, 'DELETE');
    await page.getByRole('dialog').getByText('It is gone.').waitFor();
    expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
  });

  it('says once, beside its button, that a file is no export', async () => {
    const page = await open(served, 'settings');
    const file = { name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('?') };
    await page.getByLabel('Import triggers').setInputFiles(file);
    await page.getByText('This file is not the JSON of an export.').first().waitFor();
    await page.waitForTimeout(300);
    expect(await page.getByText('This file is not the JSON of an export.').count()).toBe(1);
  });

  it('calls a reference that is being typed not complete, and no failure', async () => {
    const page = await open(served, 'memory');
    for (const ref of ['file:', 'mem_12', 'recall("file:auth.ts']) {
      await page.getByLabel('Search memories').fill(ref);
      await page.getByText('The reference is not complete').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await page.getByLabel('Search memories').fill('nothing like that zzz');
      await page.getByText('Nothing found').waitFor();
    }
  });

  it('stores the instructions that stand in the form, whatever the schedule says beside its time', async () => {
    const { trigger } = await served.ask('/triggers', {
      ...{ text: 'every day at 3', instructions: 'feed the owl' },
    });
    const { id } = trigger as { id: string };
    const page = await open(served, `triggers/${id}/edit`);
    const name = page.getByLabel('Name', { exact: true });
    await expect.poll(() => isFocused(name)).toBe(true);
    await page.getByLabel('Schedule').fill('every friday at 6pm buy milk');
    await page.getByRole('list', { name: 'Next runs' }).waitFor();
    expect(await page.locator('#edit-reading').textContent()).not.toContain('buy milk');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved “feed the owl”').waitFor();
    expect(await served.ask(`/triggers/${id}`)).toMatchObject({
      trigger: { instructions: 'feed the owl', displayName: 'feed the owl' },
    });
    // A new name is judged by the server, and not cut.
    await page.goto(`${served.url}/cue/panel#/triggers/${id}/edit`);
    await name.fill('n'.repeat(121));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Name must have at most 120 characters').waitFor();
  });

  it('says that a sentence is too long, and cuts nothing off', async () => {
    const page = await open(served, 'triggers');
    const text = `every day at 3 ${'water '.repeat(400)}`;
    await page.getByLabel('When, and what to do').fill(text);
    await page.getByText('The sentence must have at most 2000 characters').waitFor();
    expect(await page.getByLabel('When, and what to do').inputValue()).toBe(text);
  });

  it('asks before it drops what was changed and not saved, once', async () => {
    const { memories } = (await served.ask('/memories?limit=1')) as { memories: { id: string }[] };
    const { trigger } = await served.ask('/triggers', {
      ...{ text: 'every day at 3', instructions: 'asked before' },
    });
    const { id } = trigger as { id: string };
    const page = await open(served);
    const at = async (address: string, button?: string) => {
      await page.goto(`${served.url}/cue/panel#/${address}`);
      if (button !== undefined) await page.getByRole('button', { name: button }).first().click();
    };
    const forms = [
      ['Goal', () => at(`memory/${memories[0]?.id}`, 'Edit')],
      ['Instructions', () => at(`triggers/${id}/edit`)],
      ['Description', () => at('knowledge', 'New entry…')],
      ['Value', () => at('knowledge/hints', 'New hint…')],
    ] as const;
    for (const [label, openForm] of forms) {
      await openForm();
      const field = page.getByRole('dialog').getByLabel(label, { exact: false }).first();
      await field.fill('not saved');
      await page.keyboard.press('Escape');
      const question = page.getByRole('dialog', { name: 'Discard changes?' });
      await question.waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await field.inputValue()).toBe('not saved');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await question.getByRole('button', { name: 'Discard' }).click();
      await field.waitFor({ state: 'detached' });
      expect(await question.count()).toBe(0);
    }
    // Nothing changed, nothing asked.
    await at(`triggers/${id}/edit`);
    await page.getByRole('textbox', { name: 'Instructions', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByRole('textbox', { name: 'Instructions', exact: true })
      .waitFor({ state: 'detached' });
  });

  it('does not overwrite a trigger that somebody changed meanwhile', async () => {
    const { trigger } = await served.ask('/triggers', {
      ...{ text: 'every day at 3', instructions: 'feed the newt', maxRuns: 5 },
    });
    const { id } = trigger as { id: string };
    const page = await open(served, `triggers/${id}/edit`);
    await page
      .getByRole('textbox', { name: 'Instructions', exact: true })
      .fill('feed the newt twice');
    await served.ask(
      `/triggers/${id}`,
      { instructions: 'feed the newt at noon', maxRuns: 9 },
      'PUT',
    );
    await page.getByRole('button', { name: 'Save' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Somebody changed this trigger' });
    await notice.getByText('feed the newt at noon').waitFor();
    expect(await page.getByLabel('Most runs').inputValue()).toBe('9');
    expect(
      await page.getByRole('textbox', { name: 'Instructions', exact: true }).inputValue(),
    ).toBe('feed the newt twice');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved “').waitFor();
    expect(await served.ask(`/triggers/${id}`)).toMatchObject({
      trigger: { instructions: 'feed the newt twice', maxRuns: 9 },
    });
  });

  it('takes in exports larger than a request, and says what another file is', async () => {
    const page = await open(served, 'settings');
    const fileOf = (content: object, name = 'a.json') => ({
      ...{ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(content)) },
    });
    const long = 'a long learning '.repeat(120);
    const memories = Array.from({ length: 1_100 }, (_, n) => ({
      intent: { goal: `Moved bookcase ${n}`, task_type: 'other' },
      outcome: { success: true, summary: long },
    }));
    await page.getByLabel('Import memories').setInputFiles(fileOf({ version: 1, memories }));
    await page.getByText('1100 created, 0 there already').waitFor({ timeout: 120_000 });
    await page.getByLabel('Import triggers').setInputFiles(fileOf({ version: 1, memories }));
    await page.getByText('This is an export of memories, not of triggers.').waitFor();
    const { triggers } = (await served.ask('/triggers/export')) as { triggers: object[] };
    await page.getByLabel('Import hints').setInputFiles(fileOf({ version: 1, triggers }));
    await page.getByText('This is an export of triggers, not of hints.').waitFor();
    const hints = Object.fromEntries(
      Array.from({ length: 110 }, (_, n) => [`k${n}`, { value: `${n} ${'word '.repeat(3_000)}` }]),
    );
    const payload = { schema_version: '1.0', components: { bulk: { hints } } };
    await page.getByLabel('Import hints').setInputFiles(fileOf(payload));
    const status = page.locator('li').filter({ has: page.getByLabel('Import hints') });
    // Its progress is told in the same words.
    await status.getByText('110 created, 0 there already').waitFor({ timeout: 120_000 });
    await page.getByLabel('Import memories').setInputFiles(fileOf(payload));
    await page.getByText('This is an export of hints, not of memories.').waitFor();
  });

  it('speaks of a secret and of a paused trigger in the words of its buttons', async () => {
    const page = await open(served, 'knowledge/hints');
    await page.getByRole('button', { name: 'New hint…' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Component').fill('secrets');
    await form.getByLabel('Key').fill('token');
    await form.getByLabel('Value').fill(`ghp_${'a1B2c3D4e5F6'.repeat(3)}`);
    await form.getByRole('button', { name: 'Set hint' }).click();
    await form.getByText('This looks like a secret').waitFor();
    expect(await form.getByRole('alert').textContent()).not.toContain('allow');
    const { trigger } = await served.ask('/triggers', {
      ...{ text: 'every day at 3', instructions: 'feed the hen', enabled: false },
    });
    await page.goto(`${served.url}/cue/panel#/triggers/${(trigger as { id: string }).id}`);
    await page.getByText('It is paused; resume it to let it run.').waitFor();
    await page.getByRole('button', { name: 'Resume', exact: true }).last().waitFor();
  });

  it('goes to Today from an address that names no screen', async () => {
    const page = await open(served, 'no-such-screen/at-all');
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('#/today');
  });

  it('says that the server is gone, and goes on when it is back', async () => {
    const page = await open(served);
    await page.getByText('Live').waitFor();
    await served.kill();
    await page.getByText('The server does not answer').first().waitFor();
    const health = page.locator('.health');
    await health.getByText('no answer').waitFor();
    served = await serve({ dataDir, port });
    await page.getByText('Live').waitFor({ timeout: 60_000 });
    await page.goto(`${served.url}/cue/panel#/memory`);
    // Among more than a thousand.
    await page.getByRole('searchbox').first().fill('upgrade the HTTP proxy');
    await page.getByText('Upgrade the HTTP proxy').first().waitFor();
  });

  it('stands as a tab in the web UI of Eliza', async () => {
    const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
    pages.push(page);
    const frame = await tabOf(page, served);
    await settled(frame);
    expect(await frame.locator('main h1').textContent()).toBe('Today');
  });

  it('is at most 200 KB as the network carries it', () => {
    const files = readdirSync(PANEL, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const bytes = files.map(
      ({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).length,
    );
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1_024);
  });
});

describe('panel of a server with a key', () => {
  let served: Served;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cue-panel-key-'));
    served = await serve({ dataDir, port: await freePort(), token: KEY });
  });
  afterAll(async () => {
    await served?.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('asks for the key, says when it is wrong, and keeps the right one', async () => {
    const page = await newPage(served.url);
    await page.goto(`${served.url}/cue/panel`);
    const field = page.getByLabel('Key');
    await expect.poll(() => isFocused(field)).toBe(true);
    await field.fill('ключ');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This key is wrong.' }).waitFor();
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('alert').filter({ hasText: 'This key is wrong.' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Key').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    await page.getByText('Live').waitFor();
  });

  it('stands as a tab in the web UI of Eliza, with the key that is kept there', async () => {
    const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
    pages.push(page);
    await page.addInitScript((key) => {
      localStorage.setItem(`eliza-api-key-${location.origin}`, key);
    }, KEY);
    const frame = await tabOf(page, served);
    await settled(frame);
    expect(await frame.locator('main h1').textContent()).toBe('Today');
  });
});

/** Opens the tab of Cue beside the chat with the agent. */
async function tabOf(page: Page, { url, agentId }: Served): Promise<Frame> {
  await page.goto(`${url}/chat/${agentId}`);
  await page.locator('button:has(svg[class*="panel-right"])').last().click();
  await page.getByRole('tab', { name: 'Cue' }).click();
  const frame = await page.locator('iframe[title="Cue"]').elementHandle();
  const content = await frame?.contentFrame();
  if (!content) throw new Error('the web UI shows no frame');
  return content;
}

function focusedText(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent ?? '');
}

function isFocused(locator: ReturnType<Page['getByRole']>): Promise<boolean> {
  return locator.evaluate((element) => element === document.activeElement);
}

function isFocusedIn(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((within) => document.activeElement?.closest(within) !== null, selector);
}
