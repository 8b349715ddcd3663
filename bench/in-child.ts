/** Work in a process of its own: the host keeps one PGlite per process, and memory is given back. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Sends the request to a child that runs the script and resolves with the one message it answers.
 * @throws Error when the child ends without an answer; `name` says in words what it was doing
 */
export function inChild<Report>(
  script: URL,
  request: object,
  { name, flags = [] }: { name: string; flags?: readonly string[] },
): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(script), {
      // What the host prints goes to stderr; stdout is for the result.
      stdio: ['ignore', 2, 2, 'ipc'],
      env: { ...process.env, LOG_LEVEL: 'fatal', TZ: 'UTC' },
      execArgv: [...process.execArgv, ...flags],
    });
    let answer: { report: Report } | null = null;
    child.once('message', (message) => {
      answer = { report: message as Report };
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (answer) resolve(answer.report);
      else reject(new Error(`${name} ended with code ${code}`));
    });
    child.send(request);
  });
}

/**
 * The other end, in the script: answers the one message with a report and ends the process.
 * What goes wrong is printed and the process ends with 1.
 */
export function answerParent<Request>(work: (request: Request) => Promise<object>): void {
  process.once('message', (message) => {
    work(message as Request).then(
      (report) => process.send?.(report, () => process.exit(0)),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
