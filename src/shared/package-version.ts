import { createRequire } from 'node:module';

/** The version of this package, from its manifest; `unknown` when that has none. */
export function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
