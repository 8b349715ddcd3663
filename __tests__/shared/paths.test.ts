import { describe, expect, it } from 'vitest';
import { looksLikePath, normalizePath, pathKeys } from '../../src/shared/paths.js';

describe('paths', () => {
  it.each([
    ['src/auth.ts', 'src/auth.ts'],
    ['  src/auth.ts ', 'src/auth.ts'],
    ['./src//auth.ts', 'src/auth.ts'],
    ['src\\auth\\Login.ts', 'src/auth/Login.ts'],
    ['C:\\Users\\me\\a.ts', 'C:/Users/me/a.ts'],
    ['/C:/Users/a.ts', 'C:/Users/a.ts'],
    ['src/../lib/./a.ts', 'lib/a.ts'],
    ['/srv/app/../a.ts', '/srv/a.ts'],
    ['\\\\server\\share\\a.ts', '/server/share/a.ts'],
    ['file:///srv/a.ts', '/srv/a.ts'],
    ['https://example.com//a/b', 'https://example.com/a/b'],
    ['~/notes/a.md', '~/notes/a.md'],
    ['src/', 'src'],
    ['/', '/'],
    ['Ünï/ß.ts', 'Ünï/ß.ts'],
  ])('%j is written %j', (given, path) => {
    expect(normalizePath(given)).toEqual({ path });
    expect(normalizePath(path)).toEqual({ path });
  });

  it.each([
    ['', 'must not be empty'],
    ['   ', 'must not be empty'],
    ['.', 'names no file'],
    ['a/..', 'names no file'],
    ['../a.ts', 'must not lead out with ".."'],
    ['src/../../a.ts', 'must not lead out with ".."'],
    ['/..', 'must not lead out with ".."'],
    ['C:\\..\\a', 'must not lead out with ".."'],
    ['..\\a.ts', 'must not lead out with ".."'],
    ['a\u0000.ts', 'must not contain NUL characters'],
    ['x'.repeat(1_025), 'must have at most 1024 characters'],
  ])('%j is refused: %s', (given, finding) => {
    expect(normalizePath(given)).toEqual({ finding });
    expect(pathKeys(given)).toEqual([]);
  });

  it.each([
    ['src/auth.ts', ['src/auth.ts', 'auth.ts']],
    ['auth.ts', ['auth.ts']],
    ['/Srv/App/OAuth.ts', ['srv/app/oauth.ts', 'app/oauth.ts', 'oauth.ts']],
    ['C:\\a\\B.ts', ['c:/a/b.ts', 'a/b.ts', 'b.ts']],
    ['~/a.ts', ['a.ts']],
  ])('%j is found by %j', (path, keys) => {
    expect(pathKeys(path)).toEqual(keys);
  });

  it('keeps eight components of a deep path, so that the whole path still finds it', () => {
    const keys = pathKeys('1/2/3/4/5/6/7/8/9/10.ts');
    expect(keys).toHaveLength(8);
    expect(keys[0]).toBe('3/4/5/6/7/8/9/10.ts');
  });

  it('does not take auth.ts for oauth.ts', () => {
    expect(pathKeys('src/oauth.ts')).not.toContain('auth.ts');
  });

  it('finds a name written with combining characters', () => {
    expect(pathKeys('e\u0301.ts')).toEqual(['\u00e9.ts']);
  });

  it.each([
    'auth.ts',
    'src/auth.ts',
    './run',
    '../x',
    '/etc/hosts',
    'C:\\a\\b',
    'src\\auth',
    'Dockerfile',
    '.env',
    'docs/',
    'README.md',
    '~/x',
    'foo/bar.test.tsx',
  ])('%j looks like a path', (word) => {
    expect(looksLikePath(word)).toBe(true);
  });

  it.each([
    '',
    'auth',
    'and/or',
    '24/7',
    '1.2.3',
    'v1.2',
    'e.g.',
    'i.e.',
    'https://example.com/a.ts',
    'me@example.com',
    'two words.ts',
    '/when',
    'end.',
    '...',
    'a <b>.ts',
  ])('%j does not look like a path', (word) => {
    expect(looksLikePath(word)).toBe(false);
  });
});
