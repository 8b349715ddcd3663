import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEX, makeProject, type Project } from '../cue.js';

const SECRET = '# Private\n\n## Result validation\n\nthe secret words\n';
const ENTRY = '/when checking results | Result validation | words';

let project: Project;
/** Somebody's own folder, outside of the project. */
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cue-home-'));
  project = makeProject();
});
afterEach(() => {
  project.remove();
  rmSync(home, { recursive: true, force: true });
});

const at = (...parts: string[]) => join(project.root, ...parts);

/** A secret beside an index of somebody's own, as a project lays them out. */
function putSecret(folder = join(home, 'decisions')): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'testing.md');
  project.write(join('..', path.slice(join(project.root, '..').length)), SECRET);
  return path;
}

describe('a cloned repository whose decisions folder leads out of it', () => {
  beforeEach(() => {
    putSecret();
    project.write('agents/memory-index.md', `## testing.md\n\n${ENTRY}\n`);
    symlinkSync(join(home, 'decisions'), at('agents', 'decisions'));
  });

  it('shows nothing of what is there, whoever named the index', async () => {
    for (const flags of [[], ['--index', 'agents/memory-index.md']]) {
      const { code, out, err } = await project.cue('when', 'checking results', '--json', ...flags);
      expect([code, err]).toEqual([3, '']);
      expect(out).not.toContain('secret words');
      expect(JSON.parse(out).warnings).toMatchObject([{ file: '.', code: 'outside' }, {}]);
    }
  });

  it('writes nothing there', async () => {
    const before = readFileSync(join(home, 'decisions/testing.md'), 'utf8');
    const { code, err } = await project.cue(
      ...[
        'when',
        'remember',
        'writing more words | More words | what more words there are of it',
        '--content',
        'x',
      ],
      ...['--file', 'testing.md'],
    );
    expect([code, err.includes('leads out of')]).toEqual([2, true]);
    expect(readFileSync(join(home, 'decisions/testing.md'), 'utf8')).toBe(before);
  });

  it('is no clean index for a check', async () => {
    const { code, out } = await project.cue('when', 'validate');
    expect([code, out.includes('(outside)')]).toEqual([1, true]);
  });

  it('is followed by whoever names it, or allows where it leads', async () => {
    const named = await project.cue('when', 'checking results', '--decisions', 'agents/decisions');
    expect([named.code, named.out.includes('the secret words')]).toEqual([0, true]);
    const env = { CUE_FILE_ROOTS: `${project.root},${home}` };
    const allowed = await project.cueWith({ env }, 'when', 'checking results');
    expect([allowed.code, allowed.out.includes('the secret words')]).toEqual([0, true]);
  });
});

describe('a cloned repository whose folder of the index leads out of it', () => {
  beforeEach(() => {
    putSecret(join(home, 'agents/decisions'));
    project.write(
      join('..', join(home, 'agents/memory-index.md').slice(join(project.root, '..').length)),
      `## testing.md\n\n${ENTRY}\n`,
    );
    symlinkSync(join(home, 'agents'), at('agents'));
  });

  it('is read by nobody who did not name it', async () => {
    const { code, out, err } = await project.cue('when', 'checking results');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('leads out of');
    const named = await project.cue(
      'when',
      'checking results',
      '--index',
      'agents/memory-index.md',
    );
    expect([named.code, named.out.includes('the secret words')]).toEqual([0, true]);
  });
});

describe('a link within the repository', () => {
  it('is followed', async () => {
    project.write('agents/memory-index.md', `## testing.md\n\n${ENTRY}\n`);
    project.write('docs/decisions/testing.md', SECRET);
    symlinkSync(at('docs', 'decisions'), at('agents', 'decisions'));
    const { code, out } = await project.cue('when', 'checking results');
    expect([code, out.includes('the secret words')]).toEqual([0, true]);
  });
});

describe('the journal', () => {
  it('is not written where a link of the repository leads', async () => {
    project.write('agents/memory-index.md', INDEX);
    symlinkSync(home, at('.cue'));
    const { code } = await project.cue('when', 'no such thing at all');
    expect(code).toBe(3);
    expect(existsSync(join(home, 'when-usage.jsonl'))).toBe(false);
    expect(existsSync(join(home, '.gitignore'))).toBe(false);
    const { err } = await project.cue('when', 'no such thing', '--verbose');
    expect(err).toContain('leads out of');
    expect((await project.cue('when', 'stats')).code).toBe(2);
    const env = { CUE_DATA_DIR: '.cue' };
    await project.cueWith({ env }, 'when', 'no such thing at all');
    expect(existsSync(join(home, 'when-usage.jsonl'))).toBe(true);
  });
});
