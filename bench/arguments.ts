/** The command line of the benches. Pure. */

export interface BenchArguments {
  suite: string;
  json: boolean;
  quick: boolean;
  sizes?: number[];
}

export const USAGE = 'npm run bench -- triggers [--json] [--quick] [--sizes 100,1000,10000,50000]';

/** @throws Error with what is wrong, for the person at the keyboard. */
export function readArguments(argv: string[], suites: string[]): BenchArguments {
  const result: BenchArguments = { suite: '', json: false, quick: false };
  const rest = [...argv];
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '--json') result.json = true;
    else if (part === '--quick') result.quick = true;
    else if (part === '--sizes') result.sizes = readSizes(rest.shift());
    else if (part.startsWith('--sizes=')) result.sizes = readSizes(part.slice('--sizes='.length));
    else if (!part.startsWith('-') && result.suite === '') result.suite = part;
    else throw new Error(`unknown argument ${part}`);
  }
  if (!suites.includes(result.suite)) {
    throw new Error(`name a bench: ${suites.join(', ')}`);
  }
  return result;
}

function readSizes(text: string | undefined): number[] {
  const sizes = (text ?? '').split(',').map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < 1)) {
    throw new Error('--sizes wants whole numbers, as in --sizes 100,1000');
  }
  return [...new Set(sizes)].sort((a, b) => a - b);
}
