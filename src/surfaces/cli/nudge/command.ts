/** What a command of `nudge` is handed: it adds its arguments and options, and says how it ended. */
import type { Command } from 'commander';
import type { StartAgent } from '../../../server/client.js';
import type { CheckSettings } from '../../../server/serve-stdio.js';
import type { CommandContext } from '../command-line.js';

export interface NudgeContext extends CommandContext {
  /** `--port`, before the command's name or behind it; `undefined`: it was not said. */
  port?: () => number | undefined;
  /** Starts a headless agent; loaded when it is asked for, because it brings the host along. */
  startAgent: () => Promise<StartAgent>;
  /** @throws AppError INVALID_INPUT naming every setting with a wrong value */
  checkSettings?: CheckSettings;
}

export interface NudgeCommand {
  define(command: Command, context: NudgeContext): void;
}
