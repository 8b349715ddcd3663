/** A library as it is read: an index and decision files, from their texts. */
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import type { Library } from '../../src/when/types.js';

export function libraryOf(index: string, files: Readonly<Record<string, string>>): Library {
  return buildLibrary(
    parseIndex(index),
    Object.entries(files).map(([path, text]) => parseDecisionFile(path, text)),
  );
}

export const INDEX = `# Memory Index

## testing.md

/when writing mock tests | Mock patching pattern | patch where the name is used, not defined
/when organizing test files | Test layout | one folder for each package, split long modules
/how freeze the clock in tests | Frozen time | handed-in clock, no sleeping

## storage.md

/when uploading large files | Multipart thresholds | parts of 16 MB, lifecycle rule
/when storing capture dates | Capture time with zone | offset of the camera, local time
/when limiting subagent memory | Memory ceiling | resident size, exit after many jobs
`;

export const FILES = {
  'testing.md': `# Testing

## .Doubles

What stands in for the real thing.

### Mock patching pattern

Patch the object in the module that imports it. A patch of the defining module changes nothing.

## Test layout

Tests mirror the packages of the sources.

## Frozen time

Hand in the clock; a test that sleeps is a slow test.

## Flaky network tests

Record the answers of a server once and replay them.
`,
  'storage.md': `# Storage

## Multipart thresholds

Files above 64 MB go to the bucket in parts.

## Capture time with zone

Keep the local time and the offset.

## Memory ceiling

A worker that grows beyond 1 GB is replaced.
`,
};
