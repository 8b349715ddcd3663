/** `npm run eval -- schedules`: how strangers' sentences about times are read (docs/triggers.md). */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgePhrases, phrasesSchema, type SetResult, type Verdict } from './score.js';
import { judgeStrangers, type StrangersResult } from './strangers.js';

const USAGE = 'npm run eval -- schedules [FILE] [--list wrong|asked|none|right] [--json]';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Beside the checkout, unless a file or CUE_EVAL_DATA says otherwise. */
const DEFAULT_DATA = join(ROOT, '../shared/data');

const VERDICTS: readonly Verdict[] = ['right', 'wrong', 'asked', 'none'];

export async function run(argv: string[]): Promise<number> {
  const args = [...argv];
  const json = take(args, '--json') !== null;
  const listAt = args.indexOf('--list');
  const list = listAt < 0 ? null : (args.splice(listAt, 2)[1] ?? '');
  if (args.length > 1 || (list !== null && !VERDICTS.some((verdict) => verdict === list))) {
    console.error(USAGE);
    return 2;
  }
  const path = resolve(
    args[0] ?? join(process.env.CUE_EVAL_DATA ?? DEFAULT_DATA, 'schedules-dev.json'),
  );
  const strangers = judgeStrangers();
  if (!json) console.log(`${tableOfStrangers(strangers)}\n`);
  if (list !== null) {
    for (const { name, judged } of strangers) {
      for (const { kind, text, outcome } of judged) {
        if (outcome === list) console.log(`${name}, ${kind}: ${text}`);
      }
    }
  }
  if (!existsSync(path)) {
    if (json) console.log(JSON.stringify({ strangers }, null, 2));
    console.error(
      `schedules: the public sets are skipped, there is no ${path} (name a FILE, or its directory in CUE_EVAL_DATA)`,
    );
    return 0;
  }
  const parsed = phrasesSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) {
    console.error(`${path} has another shape than schedules-dev.json: ${parsed.error.message}`);
    return 2;
  }
  const results = judgePhrases(parsed.data);
  console.log(json ? JSON.stringify({ strangers, public: results }, null, 2) : tableOf(results));
  if (list !== null) {
    for (const { name, judged } of results) {
      for (const { text, verdict, said } of judged) {
        if (verdict === list) console.log(`${name}: ${text}${said === '' ? '' : ` → ${said}`}`);
      }
    }
  }
  return 0;
}

function take(args: string[], option: string): string | null {
  const at = args.indexOf(option);
  return at < 0 ? null : (args.splice(at, 1)[0] ?? null);
}

function tableOf(results: readonly SetResult[]): string {
  const rows = results.map(({ name, judged }) => {
    const count = (verdict: Verdict) => judged.filter((row) => row.verdict === verdict).length;
    return `| ${[name, judged.length, ...VERDICTS.map(count)].join(' | ')} |`;
  });
  return [
    '| set | phrases | right | silently wrong | asked | not understood |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function tableOfStrangers(results: readonly StrangersResult[]): string {
  const rows = results.flatMap(({ name, seen, judged }) =>
    (['schedule', 'ask', 'none'] as const).map((kind) => {
      const own = judged.filter((one) => one.kind === kind);
      const counts = VERDICTS.map((verdict) => own.filter((one) => one.outcome === verdict).length);
      return `| ${[`${name}${seen ? '' : ', not seen'}: ${kind}`, own.length, ...counts].join(' | ')} |`;
    }),
  );
  return [
    '| messages of strangers | number | right | silently wrong | asked | not understood |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
