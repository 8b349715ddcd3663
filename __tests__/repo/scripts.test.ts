import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completeLock, platformOf } from '../../scripts/complete-lock.mjs';
import { countTests } from '../../scripts/count-tests.mjs';
import { reasonToInstall } from '../../scripts/install-state.mjs';
import { releaseNotes, unreleasedNotes } from '../../scripts/version.mjs';

describe('.ci/run', () => {
  it('gives all stages together less than 5,000 seconds, with 200 to spare', () => {
    const script = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8');
    const limits = [...script.matchAll(/^ *(?:stage|tests) '[^']+' (\d+) /gm)];
    expect(limits.length).toBeGreaterThan(10);
    expect(limits.reduce((sum, [, limit]) => sum + Number(limit), 200)).toBeLessThan(5_000);
  });
});

describe('scripts/postgres.sh', () => {
  it('says why a machine cannot have a server', () => {
    const script = fileURLToPath(new URL('../../scripts/postgres.sh', import.meta.url));
    const why = (env: NodeJS.ProcessEnv) =>
      execFileSync(script, ['why'], { env, encoding: 'utf8' });
    const bin = mkdtempSync(join(tmpdir(), 'cue-bin-'));
    writeFileSync(join(bin, 'id'), '#!/bin/sh\necho 1000\n', { mode: 0o755 });
    const { PATH = '' } = process.env;
    expect(why({ PATH: `${bin}:${PATH}` })).toBe('only root may install into a folder by chroot\n');
    rmSync(bin, { recursive: true });
  });
});

describe('ensure-install', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cue-install-'));
    const packages = {
      '': { version: '1.0.0' },
      'node_modules/a': { version: '1.2.3', integrity: 'sha512-a' },
      'node_modules/for-another-machine': { version: '1.0.0', integrity: 'x', optional: true },
    };
    writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ packages }));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** What `npm ci` leaves: the packages, and as its last step the list of them. */
  function pretendInstalled(a: { version: string; integrity: string }): void {
    mkdirSync(join(directory, 'node_modules', 'a'), { recursive: true });
    writeFileSync(join(directory, 'node_modules', 'a', 'package.json'), '{}');
    writeFileSync(
      join(directory, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': a } }),
    );
  }

  it('installs into an empty clone', () => {
    expect(reasonToInstall(directory)).toBe('node_modules is missing');
  });

  it('installs again after an install that was cut off', () => {
    mkdirSync(join(directory, 'node_modules', 'a'), { recursive: true });
    expect(reasonToInstall(directory)).toBe('an earlier install did not finish');
  });

  it('leaves a matching install alone, whatever the times of the files say', () => {
    pretendInstalled({ version: '1.2.3', integrity: 'sha512-a' });
    expect(reasonToInstall(directory)).toBeUndefined();
  });

  it('installs when the lock file asks for another version', () => {
    pretendInstalled({ version: '1.2.2', integrity: 'sha512-b' });
    expect(reasonToInstall(directory)).toBe('node_modules/a is not the locked version');
  });

  it('installs when a package was removed by hand', () => {
    pretendInstalled({ version: '1.2.3', integrity: 'sha512-a' });
    rmSync(join(directory, 'node_modules', 'a'), { recursive: true });
    expect(reasonToInstall(directory)).toBe('node_modules/a is gone');
  });
});

describe('complete-lock', () => {
  it.each([
    ['@biomejs/cli-linux-x64-musl', { cpu: ['x64'], libc: ['musl'], os: ['linux'] }],
    ['@oxc-parser/binding-win32-arm64-msvc', { cpu: ['arm64'], os: ['win32'] }],
    ['@oxc-parser/binding-linux-ppc64-gnu', { cpu: ['ppc64'], libc: ['glibc'], os: ['linux'] }],
    ['@oxc-parser/binding-android-arm-eabi', { cpu: ['arm'], os: ['android'] }],
  ])('reads the platform of %s from its name', (name, platform) => {
    expect(platformOf(name)).toEqual(platform);
  });

  it('adds the optional packages that were left out, and finds those that are nested', () => {
    const lock = {
      packages: {
        'node_modules/a': {
          dev: true,
          license: 'MIT',
          optionalDependencies: { 'a-win32-x64': '1' },
        },
        'node_modules/b': { optionalDependencies: { 'b-win32-x64': '2' } },
        'node_modules/b/node_modules/b-win32-x64': { version: '2' },
      },
    };

    expect(completeLock(lock)).toBe(1);
    expect(lock.packages).toHaveProperty(['node_modules/a-win32-x64'], {
      version: '1',
      cpu: ['x64'],
      os: ['win32'],
      dev: true,
      license: 'MIT',
      optional: true,
    });
    expect(completeLock(lock)).toBe(0);
  });
});

describe('count-tests', () => {
  const report = (passed: number, failed: number, names: string[] = []) => ({
    numPassedTests: passed,
    numFailedTests: failed,
    testResults: [{ name: 'x.test.ts', assertionResults: names.map((fullName) => ({ fullName })) }],
  });

  it.each([
    ['a good run', report(3, 0), 0, 3, 0],
    ['a run with failed tests', report(3, 2), 1, 3, 2],
    ['a run that failed outside its tests', report(3, 0), 1, 3, 1],
    ['a run that left no report', undefined, 124, 0, 1],
    ['a run without tests', report(0, 0), 0, 0, 1],
    ['two tests of one name', report(3, 0, ['a', 'b', 'a']), 0, 3, 1],
  ])('counts %s', (_what, input, exitCode, passed, failed) => {
    expect(countTests(input, exitCode)).toMatchObject({ passed, failed });
  });
});

describe('version', () => {
  it.each([
    ['no such heading', '# Changelog\n', undefined],
    ['an empty section', '# Changelog\n\n## Unreleased\n\n## 0.1.0\n- first\n', ''],
    ['only a comment and a heading', '## Unreleased\n<!-- write here -->\n### Added\n', ''],
    ['a line', '## Unreleased\n\n- Fixed it.\n\n## 0.1.0\n- first\n', '- Fixed it.'],
  ])('finds what is unreleased: %s', (_what, changelog, notes) => {
    expect(unreleasedNotes(changelog)).toBe(notes);
  });

  it('moves the unreleased lines under the new version', () => {
    const before = '## Unreleased\n\n- Fixed it.\n\n## 0.1.0\n';
    const after = releaseNotes(before, '0.2.0', '2026-12-01');

    expect(after).toBe('## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- Fixed it.\n\n## 0.1.0\n');
    expect(unreleasedNotes(after)).toBe('');
  });
});
