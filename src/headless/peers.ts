/** The host's packages: whoever installs the command line alone does not have them. */
import { AppError, messageOf } from '../shared/errors.js';

const PEERS = ['@elizaos/core', '@elizaos/plugin-sql'] as const;

/**
 * Imports a package of the host.
 * @throws AppError UNAVAILABLE naming the one that is missing and how to get it
 */
export async function importPeer(name: (typeof PEERS)[number]): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw missingPeer(/package '([^']+)'/.exec(messageOf(error))?.[1] ?? name, error);
  }
}

function missingPeer(missing: string, cause: unknown): AppError {
  return new AppError(
    'UNAVAILABLE',
    `a server of its own needs the package ${missing}, which is not installed here: ` +
      `npm install ${PEERS.join(' ')}`,
    { missing },
    { cause },
  );
}

/**
 * The host warns once of an encryption without a salt of one's own, for secrets in an agent's settings,
 * which a headless agent neither makes nor shows: it warns while nobody hears it.
 */
export function forgoSaltWarning(core: unknown): void {
  const { logger, getSalt } = core as { logger?: { warn?: unknown }; getSalt?: unknown };
  if (!logger || typeof logger.warn !== 'function' || typeof getSalt !== 'function') return;
  const { warn } = logger;
  logger.warn = () => {};
  try {
    getSalt();
  } finally {
    logger.warn = warn;
  }
}
