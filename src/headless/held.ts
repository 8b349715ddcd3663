/**
 * An embedded database on its way to being open, held where it is about to read its directory: all that takes
 * long and touches nothing of the directory is done by then, so that whoever waits for the directory has it
 * behind them.
 */
export interface HeldDatabase {
  /** Lets it read, and write. */
  letGo(): void;
}

/** The parts of PGlite 0.3 that are used. */
interface Client {
  waitReady: Promise<void>;
  fs?: { initialSyncFs(): Promise<void> };
  Module?: { HEAPU8?: Uint8Array };
}

/**
 * Arguments that PGlite gives PostgreSQL, as they stand in memory, and ours of the same length:
 *
 * - Asked to sync its files, it opens each file of the directory twice after a kill, which is a third of such a
 *   start; and no sync reaches the system, since the file system behind it has none.
 * - All of its buffers are written at the start, which is another fifth of it; the system keeps what is read.
 */
const ARGUMENTS = [
  ['fsync=on\0', 'fsync=no\0'],
  ['shared_buffers=128MB\0', 'shared_buffers= 32MB\0'],
] as const;

/** @param client the host's PGlite, just made: what it opens it begins with in a later turn */
export function hold(client: object): HeldDatabase {
  const held = client as Client;
  let letGo = (): void => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  Object.defineProperty(held, 'fs', {
    configurable: true,
    set(fs: NonNullable<Client['fs']>) {
      Object.defineProperty(held, 'fs', { value: fs, writable: true, configurable: true });
      const first = fs.initialSyncFs.bind(fs);
      fs.initialSyncFs = async () => {
        await free;
        adjust(held);
        await first();
      };
    },
  });
  // Whoever opens it hears of it then.
  held.waitReady.catch(() => {});
  return { letGo };
}

function adjust({ Module }: Client): void {
  if (!Module?.HEAPU8) return;
  const { buffer } = Module.HEAPU8;
  const memory = Buffer.from(buffer);
  for (const [theirs, ours] of ARGUMENTS) {
    const at = memory.indexOf(theirs, 0, 'latin1');
    if (at >= 0) memory.write(ours, at, 'latin1');
  }
}
