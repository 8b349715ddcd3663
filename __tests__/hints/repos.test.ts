import { expect, it } from 'vitest';
import { isSameRepo, readRepo, repoKey } from '../../src/hints/scope.js';

const isSame = (wanted: string, asked: string): boolean => {
  const [one, other] = [readRepo(wanted), readRepo(asked)];
  return one !== null && other !== null && isSameRepo(one, other);
};

const ON_GITHUB = [
  'git@github.com:org/repo.git',
  'https://github.com/org/repo',
  'https://github.com/org/repo.git/',
  'http://github.com:80/org/repo',
  'https://user:token@GitHub.com:443/Org/Repo.git',
  'ssh://git@github.com/org/repo.git',
  'ssh://git@github.com:22/org/repo',
  'git+ssh://git@github.com/org/repo',
  'git://github.com:9418/org/repo',
  'git:github.com/org/repo',
  'github.com/org/repo',
  'github.com:org/repo',
];

it.each(ON_GITHUB)('%s is the repository of every other form', (form) => {
  for (const other of ON_GITHUB) expect(isSame(form, other)).toBe(true);
  expect(repoKey(form)).toBe('github.com/org/repo');
});

it.each(['git:org/repo', 'org/repo', 'org/repo.git', 'Org/Repo/'])(
  '%s in a scope is that path on any host, and only without a host when it is asked from',
  (form) => {
    expect(isSame(form, 'git@github.com:org/repo.git')).toBe(true);
    expect(isSame(form, 'https://git.example.org/org/repo')).toBe(true);
    expect(isSame(form, 'git:org/repo')).toBe(true);
    expect(isSame('https://github.com/org/repo', form)).toBe(false);
    expect(isSame(form, '/org/repo')).toBe(false);
    expect(repoKey(form)).toBe('git:org/repo');
  },
);

it.each([
  ['https://github.com/org/repo', 'https://gitlab.com/org/repo'],
  ['https://github.com/org/repo', 'https://github.com/org/repo2'],
  ['https://github.com/org/repo', 'https://github.com/other/repo'],
  ['https://host.example/org/repo', 'https://host.example:8443/org/repo'],
  ['git:org/repo', 'https://github.com/x/org/repo'],
  ['https://github.com/org/repo', 'https://evil.example/github.com/org/repo'],
  ['https://github.com/org/repo', 'https://github.com@evil.example/org/repo'],
  ['file:///srv/repo', 'file:///srv/Repo'],
  ['/srv/repo', 'git:srv/repo'],
])('%s is not %s', (wanted, asked) => {
  expect(isSame(wanted, asked)).toBe(false);
});

it.each([
  ['file:///srv/repo', '/srv/repo/'],
  ['file:///srv/my%20repo', '/srv/my repo'],
  ['file://localhost/srv/repo', 'file:///srv/repo'],
  ['file:///C:/code/repo', 'c:\\Code\\repo\\'],
  ['file://server/share/repo', '//server/share/repo'],
])('the folders %s and %s are one', (wanted, asked) => {
  expect(isSame(wanted, asked)).toBe(true);
  expect(repoKey(wanted)).toBe(repoKey(asked));
});

it.each(['', '  ', 'https://github.com', 'https:///x', './repo', '~/repo', 'a\u0000b', 'git:/'])(
  '%j names no repository',
  (name) => {
    expect(readRepo(name)).toBe(null);
  },
);

it('takes a per cent sign that encodes nothing for itself', () => {
  expect(readRepo('file:///srv/100%')).toEqual({ host: '', path: '/srv/100%' });
});
