/** `nudge get` without the other commands: an agent waits for it before each build. */
import { AppError } from '../../../shared/errors.js';
import type { ExitCode, Io } from '../io.js';
import { GET, runNudge } from './run.js';

/** @param argv beginning with `get` */
export function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const startAgent = (): never => {
    throw new AppError('UNAVAILABLE', '"nudge get" starts no agent');
  };
  return runNudge({ argv, commands: [GET] }, io, { startAgent });
}
