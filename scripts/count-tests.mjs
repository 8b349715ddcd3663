/**
 * Reads a vitest JSON report and prints `PASSED FAILED` for `.ci/run`.
 * A run that ended badly without a failed test (a hook, an unhandled rejection, a time-out) counts
 * as one failure, and so do no tests at all and two tests of one file with the same name.
 *
 *   node scripts/count-tests.mjs REPORT EXIT_CODE
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `{ passed, failed, notes }` of a report (undefined when the run left none). */
export function countTests(report, exitCode) {
  const passed = report?.numPassedTests ?? 0;
  let failed = report?.numFailedTests ?? 0;
  const notes = [];
  if (exitCode !== 0 && failed === 0) {
    failed += 1;
    notes.push(`the test run ended with code ${exitCode} though no test failed`);
  } else if (passed + failed === 0) {
    failed += 1;
    notes.push('no test ran');
  }
  for (const file of report?.testResults ?? []) {
    const names = file.assertionResults.map((test) => test.fullName);
    const twice = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
    if (twice.length === 0) continue;
    failed += 1;
    notes.push(`${file.name} has several tests named: ${twice.join(' | ')}`);
  }
  return { passed, failed, notes };
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, exitCode] = process.argv.slice(2);
  const { passed, failed, notes } = countTests(readReport(file), Number(exitCode));
  for (const note of notes) console.error(note);
  console.log(`${passed} ${failed}`);
}
