/**
 * Draws images/logo.jpg and images/banner.jpg, as `elizaos publish` asks for them (400 × 400 of at most
 * 500 KB, 1280 × 640 of at most 1 MB), with a Chromium that is installed.
 *
 *   node scripts/images.mjs [PATH_OF_CHROMIUM]
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const images = join(dirname(fileURLToPath(import.meta.url)), '..', 'images');
const [executablePath = '/usr/bin/chromium'] = process.argv.slice(2);

const INK = '#10222b';
const PAPER = '#f4efe6';
const SIGNAL = '#e4572e';

/** A clock whose hand points at what is due, and the dots of what has been. */
function mark(x, y, radius) {
  const dots = Array.from({ length: 12 }, (_, at) => {
    const angle = (at * Math.PI) / 6;
    const [sin, cos] = [Math.sin(angle), -Math.cos(angle)];
    const isDue = at === 2;
    const size = radius * (isDue ? 0.14 : 0.055);
    const fill = isDue ? SIGNAL : PAPER;
    const opacity = isDue ? 1 : 0.35 + 0.05 * ((at + 9) % 12);
    return `<circle cx="${x + radius * sin}" cy="${y + radius * cos}" r="${size}" fill="${fill}" opacity="${opacity}"/>`;
  });
  const hand = (angle, length, width, colour) =>
    `<line x1="${x}" y1="${y}" x2="${x + length * Math.sin(angle)}" y2="${y - length * Math.cos(angle)}" stroke="${colour}" stroke-width="${width}" stroke-linecap="round"/>`;
  return [
    ...dots,
    hand(Math.PI / 3, radius * 0.72, radius * 0.09, SIGNAL),
    hand(-Math.PI / 5, radius * 0.5, radius * 0.09, PAPER),
    `<circle cx="${x}" cy="${y}" r="${radius * 0.1}" fill="${PAPER}"/>`,
  ].join('');
}

function svg(width, height, content) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${INK}"/>${content}</svg>`;
}

const type = `font-family="DejaVu Sans, Verdana, sans-serif" fill="${PAPER}"`;
const PICTURES = [
  { name: 'logo.jpg', size: [400, 400], limit: 500_000, drawn: mark(200, 200, 140) },
  {
    name: 'banner.jpg',
    size: [1280, 640],
    limit: 1_000_000,
    drawn:
      mark(330, 320, 190) +
      `<text x="620" y="330" font-size="150" font-weight="bold" ${type}>Cue</text>` +
      `<text x="626" y="400" font-size="34" opacity="0.85" ${type}>The right wake-up and the right</text>` +
      `<text x="626" y="446" font-size="34" opacity="0.85" ${type}>memory, at the right moment.</text>`,
  },
];

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  mkdirSync(images, { recursive: true });
  for (const { name, size, limit, drawn } of PICTURES) {
    const [width, height] = size;
    const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 1 });
    await page.setContent(`<body style="margin:0">${svg(width, height, drawn)}</body>`);
    const path = join(images, name);
    await page.screenshot({ path, type: 'jpeg', quality: 90 });
    const bytes = statSync(path).size;
    if (bytes > limit) throw new Error(`${name} has ${bytes} bytes, more than ${limit}`);
    console.log(`${path}: ${width} × ${height}, ${bytes} bytes`);
  }
} finally {
  await browser.close();
}
