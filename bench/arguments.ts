/** The command line of the benches. Pure. */

export interface BenchArguments {
  suite: string;
  json: boolean;
  quick: boolean;
  /** Measures a second time on PostgreSQL. */
  postgres: boolean;
  sizes?: number[];
  /** Sizes at which the catalog is measured without a database. */
  catalog?: number[];
}

export const USAGE = `npm run bench -- triggers [--json] [--quick] [--postgres] [--sizes 100,1000,10000,50000]
npm run bench -- memory [--json] [--quick] [--postgres] [--sizes 1000,10000,50000] [--catalog 100000]
npm run bench -- proactive [--json] [--quick] [--postgres] [--sizes 1000,10000] [--catalog 100000]
npm run bench -- when [--json] [--quick] [--sizes 400,4000]
npm run bench -- hints [--json] [--quick] [--sizes 5000]
npm run bench -- mcp [--json] [--quick] [--sizes 10000]
npm run bench -- panel [--json] [--quick] [--sizes 100000]
npm run bench -- processes [--json] [--quick] [--sizes 5000]
npm run bench -- scale [--json] [--quick] [--sizes 1000000]`;

const ON_POSTGRES = ['triggers', 'memory', 'proactive'];

/** @throws Error with what is wrong, for the person at the keyboard. */
export function readArguments(argv: string[], suites: string[]): BenchArguments {
  const result: BenchArguments = { suite: '', json: false, quick: false, postgres: false };
  const rest = [...argv];
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '--json') result.json = true;
    else if (part === '--quick') result.quick = true;
    else if (part === '--postgres') result.postgres = true;
    else if (part === '--sizes') result.sizes = readSizes('--sizes', rest.shift());
    else if (part.startsWith('--sizes='))
      result.sizes = readSizes('--sizes', part.slice('--sizes='.length));
    else if (part === '--catalog') result.catalog = readSizes(part, rest.shift());
    else if (part.startsWith('--catalog=')) {
      result.catalog = readSizes('--catalog', part.slice('--catalog='.length));
    } else if (!part.startsWith('-') && result.suite === '') result.suite = part;
    else throw new Error(`unknown argument ${part}`);
  }
  if (!suites.includes(result.suite)) {
    throw new Error(`name a bench: ${suites.join(', ')}`);
  }
  if (result.postgres && !ON_POSTGRES.includes(result.suite)) {
    throw new Error(`--postgres is for ${ON_POSTGRES.join(', ')}`);
  }
  return result;
}

function readSizes(name: string, text: string | undefined): number[] {
  const sizes = (text ?? '').split(',').map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < 1)) {
    throw new Error(`${name} wants whole numbers, as in ${name} 100,1000`);
  }
  return [...new Set(sizes)].sort((a, b) => a - b);
}
