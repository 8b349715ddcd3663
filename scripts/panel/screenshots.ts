/** `npm run screenshots [-- FOLDER]`: a picture of every screen of the panel, in both themes and three widths. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill, openBrowser, serve } from './served.js';

const SCREENS = [
  ...['today', 'triggers', 'triggers/runs', 'memory', 'offers', 'offers/decisions'],
  ...['offers/quality', 'knowledge', 'knowledge/hints', 'settings'],
];
const WIDTHS = [1_400, 420, 360];

const folder = process.argv[2] ?? 'screenshots';
mkdirSync(folder, { recursive: true });
const dataDir = mkdtempSync(join(tmpdir(), 'cue-screenshots-'));
const served = await serve({ dataDir, port: 3_950 });
const browser = await openBrowser();
try {
  await fill(served);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of WIDTHS) {
      const viewport = { width, height: 860 };
      const page = await browser.newPage({ viewport, colorScheme });
      for (const screen of SCREENS) {
        await page.goto(`${served.url}/cue/panel#/${screen}`);
        await page.locator('main h1').waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        await page.getByText('Live', { exact: true }).waitFor();
        const name = [screen.replace('/', '-'), width, colorScheme].join('-');
        await page.screenshot({ path: join(folder, `${name}.png`) });
      }
      await page.close();
    }
  }
  console.log(`Pictures are in ${folder}`);
} finally {
  await browser.close();
  await served.kill();
  rmSync(dataDir, { recursive: true, force: true });
}
