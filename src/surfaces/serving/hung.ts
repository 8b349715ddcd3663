/** A server that lives and does not answer: whether it is the one that is meant, and what may be done. */
import type { FoundServer } from './look-around.js';

/** A server that was lost and found again, is the same. */
export function isSameServer(a: FoundServer, b: FoundServer): boolean {
  const [one, other] = [a.identity, b.identity];
  return a.port === b.port && one.pid === other.pid && one.sessionId === other.sessionId;
}

export function howToGoOn(pid: number, platform: NodeJS.Platform = process.platform): string {
  const command = platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`;
  return `wait until it goes on, or end it (${command})`;
}
