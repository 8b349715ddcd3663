import { describe, expect, it } from 'vitest';
import { join } from '../../eval/hints/secrets/cases.js';
import type { Hint, HintValue } from '../../src/hints/schema.js';
import {
  cleanValue,
  judgeText,
  redactHint,
  redactText,
  redactValue,
} from '../../src/hints/secrets.js';
import { computedMs } from '../helpers/quick.js';

const MIX = 'Zk3vQ9xT7mLp2RwY8sBn4HcJ6dFg1KaV';
const SHA = '3f2a91c07b5de84461fa0c93b27d58e1904c6ab3';
const MD5 = '5eb63bbbe01eeed093cb22bb8f5acdc3';
const SHA256 = '7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730';
const GITHUB = join('ghp', '_', MIX, '5uEo');

describe('hexadecimal digits', () => {
  it.each([
    ['alone', SHA],
    ['as the value of a key', `X-Key: ${SHA}`],
    ['beside git in another command', `git pull; curl -d ${SHA} http://h`],
    ['given to git config', `git config remote.token ${SHA}`],
    ['as the user of an address', `git clone https://${SHA}@git.example.com/r.git`],
    ['as the password of a repository', `pip install git+https://u:${SHA}@h/r.git`],
    ['in a query', `https://h/v1?k=${MD5}`],
    ['in the path of a hook', `https://hooks.example.com/in/${MD5}`],
    ['under the id of a session', `session_id=${MD5}`],
    ['in capitals', MD5.toUpperCase()],
    ['of 64 digits behind 0x', `0x${SHA256}`],
  ])('are a key %s', (_, text) => {
    expect(judgeText(text).rules).not.toEqual([]);
  });

  it.each([
    ['given to git', `git checkout ${SHA}`],
    ['at both ends of a range', `git diff ${SHA}..${SHA}`],
    ['called a commit', `commit ${SHA}`],
    ['under a name of a hash', `{"commitSha": "${SHA}"}`],
    ['behind an algorithm', `sha256:${SHA256}`],
    ['as sum tools print them', `${MD5}  a.zip`],
    ['checked by a sum tool', `echo ${SHA256} a.zip | sha256sum -c`],
    ['in the name of a file', `main.${MD5}.js`],
    ['in a path', `/var/cache/${MD5}/out`],
    ['in the path of an address', `https://h/avatar/${MD5}?s=70`],
    ['pinning an action', `uses: actions/checkout@${SHA}`],
    ['as the address of an account', `0x${SHA}`],
    ['of a container', `docker logs ${SHA256}`],
    ['that are few different ones', 'deadbeef'.repeat(5)],
    ['of fewer than 32', MD5.slice(1)],
  ])('are no key %s', (_, text) => {
    expect(judgeText(text).rules).toEqual([]);
  });

  it('are what the name of the text says', () => {
    expect(judgeText(SHA, 'base_commit').rules).toEqual([]);
    expect(judgeText(SHA, 'signing').rules).toEqual(['hex']);
    expect(judgeText('fine', SHA)).toEqual({ rules: [], text: 'fine' });
  });
});

describe('what was never listed', () => {
  it('is found by its look', () => {
    expect(judgeText(`acme_${MIX}`).rules).toEqual(['random']);
    expect(judgeText(`./notify ${MIX}`).rules).toEqual(['random']);
  });

  it.each([
    'AbstractSingletonProxyFactoryBeanTokenProviderTest2',
    `dist/app-${MIX}.js`,
    `etag: ${MIX}`,
    `https://docs.example.com/d/${MIX}/edit`,
    Buffer.from('<svg><path d="M0 0h24v24H0z"/></svg>').toString('base64'),
  ])('is not suspected in %s', (text) => {
    expect(judgeText(text).rules).toEqual([]);
  });
});

describe('a text to print', () => {
  it('loses its secrets and nothing else', () => {
    expect(redactText(`deploy --as ${GITHUB} --to dev`)).toBe(
      'deploy --as [redacted:github] --to dev',
    );
    expect(redactText(`a ${MIX} b ${SHA} c`)).toBe('a [redacted:random] b [redacted:hex] c');
    expect(redactText('docker login -u ci -p Reg1stryPw ghcr.io')).toBe(
      'docker login -u ci -p [redacted:password] ghcr.io',
    );
    expect(redactText('DB_PASS=hunter22 npm test')).toBe('DB_PASS=[redacted:password] npm test');
  });

  it('keeps what was set aside', () => {
    const pinned = `sha512-${'q0H6TqoXQbm1z3T0d3oR5YHxYk7uP9FvW2sNcJ4mLaEe'.repeat(2).slice(0, 86)}==`;
    expect(redactText(`${pinned} and xxxxxxxxxxxx and ${GITHUB}`)).toBe(
      `${pinned} and xxxxxxxxxxxx and [redacted:github]`,
    );
  });

  it('is the same as before without one, unseen characters included', () => {
    const text = 'make\u200bbuild 👩\u200d💻 \ue0003\ue001 $1 $& ********';
    expect(redactText(text)).toBe(text);
  });

  it('loses a secret that the value of something else holds', () => {
    const id = MIX.toLowerCase();
    expect(redactText(`Cookie: theme=dark9; sessionid=${id}; lang=de`)).toBe(
      'Cookie: theme=dark9; sessionid=[redacted:api_key]; lang=de',
    );
  });

  it('cannot be taken apart by unseen characters or base64', () => {
    expect(redactText(`x ${GITHUB.slice(0, 9)}\u200b${GITHUB.slice(9)}`)).toBe(
      'x [redacted:github]',
    );
    const encoded = Buffer.from(`token ${GITHUB}`).toString('base64');
    expect(redactText(`echo ${encoded} | base64 -d`)).toBe('echo [redacted:github] | base64 -d');
  });

  it('takes time that grows with its length and no faster', () => {
    const bad = [
      '-----BEGIN PUBLIC KEY-----',
      `${MIX} `,
      'redis-cli ',
      '--a ',
      'a: ',
      'eyJaaaaaa.',
    ];
    for (const part of bad) {
      const time = (length: number) => {
        const text = part.repeat(Math.ceil(length / part.length));
        let best = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 3; round++) {
          best = Math.min(
            best,
            computedMs(() => judgeText(`${round}${text}`)),
          );
        }
        return best;
      };
      time(1_000);
      // Eight times the text: 64 times the time if it were quadratic. Other work may fall into one turn,
      // what is quadratic is slow each time.
      let growth = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 5 && growth >= 40; turn++) {
        growth = Math.min(growth, time(64_000) / Math.max(time(8_000), 0.5));
      }
      expect(growth, part).toBeLessThan(40);
    }
  });
});

describe('a hint to print', () => {
  const hint = (value: HintValue, meta: Hint['meta'] = {}): Hint => ({
    value,
    meta,
    version: 1,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  });

  it.each<[string, HintValue, HintValue]>([
    ['text', 'x', '[redacted]'],
    [
      'command',
      { type: 'command', shell: 'sh', cmd: 'x' },
      { type: 'command', shell: 'sh', cmd: '[redacted]' },
    ],
    ['path', { type: 'path', abs: '/x' }, { type: 'path', abs: '[redacted]' }],
    [
      'template',
      { type: 'template', format: 'jinja', body: 'x', defaults: { a: 'x' } },
      { type: 'template', format: 'jinja', body: '[redacted]' },
    ],
    ['data', { type: 'json', data: { a: 'x' } }, { type: 'json', data: '[redacted]' }],
  ])('shows nothing of a %s that is marked', (_, value, shown) => {
    expect(redactValue(value)).toEqual(shown);
    expect(redactHint(hint(value, { sensitivity: 'secret' })).value).toEqual(shown);
  });

  it('shows what is not marked without what the guard finds', () => {
    const value = { type: 'json', data: { a: [GITHUB, 1], password: 12345678, [GITHUB]: null } };
    expect(redactHint(hint({ type: 'json', data: value.data })).value).toEqual({
      type: 'json',
      data: { a: ['[redacted:github]', 1], password: '[redacted]', '[redacted:github]': null },
    });
    expect(cleanValue('hunter22', 'db_password')).toBe('[redacted:password]');
    const template = { type: 'template', format: 'mustache' } as const;
    expect(
      cleanValue({ ...template, body: `a ${GITHUB}`, defaults: { password: 'hunter22' } }),
    ).toEqual({
      ...template,
      body: 'a [redacted:github]',
      defaults: { password: '[redacted:password]' },
    });
  });

  it('shows meta without secrets, marked or not', () => {
    const meta = { reason: `as ${GITHUB}`, tags: ['build'], sensitivity: 'secret' } as const;
    const shown = redactHint({ ...hint('x'), meta: { ...meta, tags: ['build'] } });
    expect(shown.meta).toEqual({
      reason: 'as [redacted:github]',
      tags: ['build'],
      sensitivity: 'secret',
    });
  });

  it('does not change the hint that it is given', () => {
    const given = hint({ type: 'json', data: { a: GITHUB } });
    const before = structuredClone(given);
    redactHint(given);
    expect(given).toEqual(before);
  });
});
