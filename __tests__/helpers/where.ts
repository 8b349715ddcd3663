/** Tests that only some systems can run: what is left out is said, and why. */

/** For `runIf`. */
export function where(condition: boolean, why: string): boolean {
  if (!condition) process.stderr.write(`left out on ${process.platform}: ${why}\n`);
  return condition;
}

/** Start times of processes, owners of sockets, folders that refuse: all told by /proc. */
export const withProc = (): boolean =>
  where(process.platform === 'linux', 'it needs the /proc of Linux');

/** Signals that stop a process, and pipes with a name. */
export const onPosix = (): boolean =>
  where(process.platform !== 'win32', 'it needs signals and pipes of POSIX');
