/** `--data-dir`: the database whose server is meant, where it is not that of the folder. */
import { Option } from 'commander';
import type { Io } from '../io.js';

export function dataDirOption(): Option {
  return new Option('--data-dir <directory>', 'the server of this database').conflicts('port');
}

/** What a command sees of the world. @param dataDir as the flag says it, once the line has been read */
export function ioFor(io: Io, dataDir: () => string | undefined): Io {
  return Object.create(io, {
    env: {
      get() {
        const directory = dataDir();
        if (directory === undefined) return io.env;
        return { ...io.env, POSTGRES_URL: undefined, PGLITE_DATA_DIR: directory };
      },
    },
  });
}
