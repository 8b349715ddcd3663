import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  existingPathsOf,
  journalFolderOf,
  placeOf,
  whenPathsOf,
} from '../../../../src/surfaces/cli/when-commands/paths.js';
import { makeProject, type Project } from '../cue.js';

let project: Project;
beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

const at = (...parts: string[]) => join(project.root, ...parts);
const place = (cwd = project.root, env: Record<string, string> = {}) => ({ cwd, env });

describe('the index', () => {
  it('is looked for in three places, and upwards to the repository', () => {
    mkdirSync(at('src', 'deep'), { recursive: true });
    const found = () => whenPathsOf({}, place(at('src', 'deep'))).index;

    project.write('.cue/memory-index.md', '');
    expect(found()).toBe(at('.cue', 'memory-index.md'));
    project.write('memory-index.md', '');
    expect(found()).toBe(at('memory-index.md'));
    project.write('agents/memory-index.md', '');
    expect(found()).toBe(at('agents', 'memory-index.md'));
    project.write('src/memory-index.md', '');
    expect(found()).toBe(at('src', 'memory-index.md'));
  });

  it('is not looked for above the repository, nor above the directory outside of one', () => {
    project.write('memory-index.md', '');
    mkdirSync(at('inner', '.git'), { recursive: true });
    expect(() => whenPathsOf({}, place(at('inner')))).toThrow(/^no index: none of agents\/mem/);
    project.write('inner/memory-index.md', '');
    expect(whenPathsOf({}, place(at('inner'))).index).toBe(at('inner', 'memory-index.md'));
  });

  it('is the one that is named: by option before setting before search', () => {
    project.write('memory-index.md', '');
    const env = { CUE_WHEN_INDEX: 'kept/index.md', CUE_WHEN_DECISIONS: 'kept/files' };

    expect(whenPathsOf({ index: 'mine.md' }, place(project.root, env))).toEqual({
      index: at('mine.md'),
      decisions: at('kept', 'files'),
      named: ['index', 'decisions'],
      within: project.root,
    });
    expect(whenPathsOf({ decisions: 'd' }, place(project.root, env)).decisions).toBe(at('d'));
    expect(whenPathsOf({}, place(project.root, env)).index).toBe(at('kept', 'index.md'));
    expect(whenPathsOf({}, place(project.root, { CUE_WHEN_INDEX: '' })).index).toBe(
      at('memory-index.md'),
    );
  });

  it('has its decision files beside it, and both are held within the repository', () => {
    project.write('agents/memory-index.md', '');

    expect(whenPathsOf({}, place())).toEqual({
      index: at('agents', 'memory-index.md'),
      decisions: at('agents', 'decisions'),
      named: [],
      within: project.root,
    });
    const env = { CUE_FILE_ROOTS: 'agents, /srv/shared ,' };
    expect(whenPathsOf({}, place(project.root, env)).roots).toEqual([at('agents'), '/srv/shared']);
  });

  it('has to exist for whoever only reads', () => {
    expect(() => existingPathsOf({ index: 'x.md' }, place())).toThrow(
      `no index: ${at('x.md')} does not exist`,
    );
  });
});

describe('the journal', () => {
  it('lies in the data directory', () => {
    const env = { CUE_DATA_DIR: 'data' };
    expect(journalFolderOf(null, place(project.root, env))).toBe(at('data'));
  });

  it('lies where an agent of the project keeps its own data', () => {
    const index = at('agents', 'memory-index.md');
    const env = { PGLITE_DATA_DIR: 'db/pg' };
    expect(journalFolderOf(index, place(project.root, env))).toBe(at('db', 'cue'));
    mkdirSync(at('.eliza'));
    expect(journalFolderOf(index, place('/'))).toBe(at('.eliza', 'cue'));
  });

  it('lies in the project, whichever directory one is in', () => {
    mkdirSync(at('src'));
    expect(journalFolderOf(null, place(at('src')))).toBe(at('.cue'));
    expect(journalFolderOf(at('agents', 'memory-index.md'), place('/'))).toBe(at('.cue'));
  });

  it('lies in what the index counts from, outside of a repository', () => {
    const outside = dirname(project.root);
    expect(journalFolderOf(join(outside, 'p', '.cue', 'memory-index.md'), place('/'))).toBe(
      join(outside, 'p', '.cue'),
    );
    expect(journalFolderOf(join(outside, 'p', 'agents', 'i.md'), place('/'))).toBe(
      join(outside, 'p', '.cue'),
    );
    expect(journalFolderOf(join(outside, 'p', 'docs', 'i.md'), place('/'))).toBe(
      join(outside, 'p', 'docs', '.cue'),
    );
  });
});

describe('a place', () => {
  it('is shown from the current directory where it lies below', () => {
    const paths = { index: '/p/agents/index.md', decisions: '/p/agents/decisions' };
    const warning = { code: 'x', message: 'y' };

    expect(placeOf({ ...warning, file: 'index', line: 3 }, paths, '/p')).toBe('agents/index.md:3');
    expect(placeOf({ ...warning, file: 'a/b.md' }, paths, '/p')).toBe('agents/decisions/a/b.md');
    expect(placeOf({ ...warning, file: 'index' }, paths, '/q')).toBe('/p/agents/index.md');
  });
});
