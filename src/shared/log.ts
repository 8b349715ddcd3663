/** What a room may say to the operator: fields first, a short constant message second. */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

type Level = keyof Log;

/** The part of a host that logs. */
export interface LoggingHost {
  agentId: string;
  logger: Record<Level, (fields: Record<string, unknown>, message: string) => unknown>;
}

/** The host's logger; every line says which part of the plugin and which agent speaks. */
export function hostLog({ agentId, logger }: LoggingHost, part: string): Log {
  const say =
    (level: Level) =>
    (fields: Record<string, unknown>, message: string): void => {
      logger[level]({ src: `plugin:cue:${part}`, agentId, ...fields }, message);
    };
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** The same log without what is less serious than the level. */
export function atLeast(lowest: Level, log: Log): Log {
  const heard = (level: Level) =>
    LEVELS.indexOf(level) >= LEVELS.indexOf(lowest) ? log[level] : () => {};
  return {
    debug: heard('debug'),
    info: heard('info'),
    warn: heard('warn'),
    error: heard('error'),
  };
}
