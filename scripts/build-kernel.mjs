/**
 * Builds the vector kernel from its source: kernel.wat → kernel-bytes.ts, which is committed, so
 * that neither a build step nor `wabt` is needed to use the package.
 *
 *   node scripts/build-kernel.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const SOURCE = new URL('../src/records/catalog/kernel.wat', import.meta.url);
const TARGET = new URL('../src/records/catalog/kernel-bytes.ts', import.meta.url);
const COLUMNS = 90;

/** The text of kernel-bytes.ts for this source; the same source gives the same text. */
export async function kernelModule(source) {
  const { parseWat } = await wabt();
  const module = parseWat('kernel.wat', source, { simd: true });
  try {
    module.validate();
    const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64');
    const lines = base64.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? [];
    return [
      '/** The assembled kernel.wat in base64. Written by scripts/build-kernel.mjs: do not edit. */',
      'export const KERNEL_BASE64 =',
      `${lines.map((line) => `  '${line}'`).join(' +\n')};`,
      '',
    ].join('\n');
  } finally {
    module.destroy();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(TARGET, await kernelModule(readFileSync(SOURCE, 'utf8')));
}
