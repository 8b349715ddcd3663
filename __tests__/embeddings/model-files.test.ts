import { cpSync, mkdtempSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { verifyModelFiles } from '../../src/embeddings/index.js';
import { MODEL_DIR, ONNX, SMALL_MODEL } from './helpers/hub.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cue-files-'));
  cpSync(MODEL_DIR, directory, { recursive: true });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const write = (file: string, text: string) => writeFileSync(join(directory, file), text);

it('accepts a complete directory, with checksums and without', async () => {
  await verifyModelFiles(directory);
  await verifyModelFiles(directory, SMALL_MODEL.files);
});

const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
const CASES: [string, () => void, string][] = [
  [
    'a missing file',
    () => unlinkSync(join(directory, 'tokenizer.json')),
    'tokenizer.json is missing (copy the whole directory of the model, onnx/ included)',
  ],
  ['an empty file', () => write('tokenizer.json', ''), 'tokenizer.json is empty (copy it again)'],
  [
    'a Git LFS pointer',
    () => write(ONNX, LFS),
    `${ONNX} is a Git LFS pointer, not the file itself (run "git lfs pull" where it was cloned)`,
  ],
  [
    'weights cut short',
    () => truncateSync(join(directory, ONNX), 900),
    `${ONNX} has only 900 bytes, it is truncated (copy it again)`,
  ],
  [
    'JSON cut short',
    () => truncateSync(join(directory, 'tokenizer.json'), 100),
    'tokenizer.json is not JSON, it may be truncated',
  ],
  [
    'vectors of another length',
    () => write('config.json', '{"hidden_size":768}'),
    'config.json makes vectors of 768, 384 numbers are needed (choose a model such as all-MiniLM-L6-v2)',
  ],
  [
    'a config without a length',
    () => write('config.json', '[]'),
    'config.json does not say hidden_size, 384 numbers are needed',
  ],
];

it.each(CASES)('names %s, the file and what to do', async (_name, damage, message) => {
  damage();
  await expect(verifyModelFiles(directory)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(
      `the embedding model in ${directory} cannot be used: ${message}`,
    ),
  });
});

it('tells a file of another size or content from the published one', async () => {
  truncateSync(join(directory, ONNX), 1_000_000);
  await expect(verifyModelFiles(directory, SMALL_MODEL.files)).rejects.toThrow(
    `has 1000000 bytes where ${SMALL_MODEL.files[ONNX].bytes} are expected`,
  );
  cpSync(MODEL_DIR, directory, { recursive: true });
  const { sha256: _, ...size } = SMALL_MODEL.files['config.json'];
  await expect(
    verifyModelFiles(directory, { 'config.json': { ...size, sha256: 'f'.repeat(64) } }),
  ).rejects.toThrow('has another checksum than the published model');
});

it('says that a directory does not exist by its first file', async () => {
  await expect(verifyModelFiles(join(directory, 'nowhere'))).rejects.toThrow(
    'config.json is missing',
  );
});
