/** What can be read of a stored agent's settings: the host encrypts them with `SECRET_SALT`. */
import { type Agent, decryptSecret, getSalt, logger } from '@elizaos/core';
import { isEncrypted } from '../settings.js';

/** In a text that another salt has made of its bytes. */
const NO_TEXT = '\uFFFD';

/** The agent, without the settings that were encrypted with another `SECRET_SALT` than this process has. */
export function readableOf(agent: Agent): Agent {
  const { settings, secrets } = agent;
  const nested = settings?.secrets;
  const isNested = typeof nested === 'object' && nested !== null && !Array.isArray(nested);
  const { error } = logger;
  // The host says of each value that it cannot decrypt it.
  logger.error = () => {};
  try {
    return {
      ...agent,
      ...(settings && {
        settings: { ...readable(settings), ...(isNested && { secrets: readable(nested) }) },
      }),
      ...(secrets && { secrets: readable(secrets) }),
    };
  } finally {
    logger.error = error;
  }
}

function readable<T>(values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isReadable(value)));
}

function isReadable(value: unknown): boolean {
  if (typeof value !== 'string' || !isEncrypted(value)) return true;
  const text = decryptSecret(value, getSalt());
  return !isEncrypted(text) && !text.includes(NO_TEXT);
}
