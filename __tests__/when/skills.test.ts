import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findCommands } from '../../src/when/commands.js';
import { parseIndex } from '../../src/when/index-file.js';
import { CONSUMPTION_HEADER } from '../../src/when/migrate/consumption-header.js';
import { parseRequests } from '../../src/when/requests.js';

const SKILLS = { when: textOf('when'), remember: textOf('remember') };

function textOf(name: string): string {
  return readFileSync(new URL(`../../skills/${name}/SKILL.md`, import.meta.url), 'utf8');
}

/** What follows `cue when` in each command line and inline command of a skill, as arguments. */
function commandsOf(text: string): string[][] {
  return [...text.matchAll(/(?:^|`)cue when ([^`\n]+)/gm)].map(([, rest = '']) =>
    [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''),
  );
}

const OPTIONS: Record<string, readonly string[]> = {
  validate: ['--fix'],
  migrate: ['--dry-run'],
  stats: [],
  remember: '--trigger --header --description --file --content --content-file --under'.split(' '),
};

const COMMANDS = Object.entries(SKILLS).flatMap(([skill, text]) =>
  commandsOf(text).map((words, at) => ({ skill, at, words, shown: words.join(' ') })),
);

describe('skills', () => {
  it.each(Object.entries(SKILLS))('%s has the front matter that agents read', (name, text) => {
    const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
    const fields = Object.fromEntries(front.split('\n').map((line) => line.split(/: (.*)/)));
    expect(fields.name).toBe(name);
    expect(fields.description?.length).toBeGreaterThan(100);
    expect(fields.description?.length).toBeLessThan(1_024);
    // Unquoted YAML.
    expect(fields.description).not.toMatch(/: | #/);
    expect(text.length).toBeLessThan(4_000);
  });

  it.each(COMMANDS)('$skill, command $at is one: $shown', ({ words }) => {
    const [first = '', ...rest] = words;
    const options = OPTIONS[first];
    if (options === undefined) {
      const requests = parseRequests(first);
      expect(rest).toEqual([]);
      expect(requests.length).toBeGreaterThan(0);
      expect(requests.filter(({ kind }) => kind === 'invalid')).toEqual([]);
      return;
    }
    expect(rest.filter((word) => word.startsWith('--') && !options.includes(word))).toEqual([]);
  });

  it('show every form of the command', () => {
    const forms = COMMANDS.map(({ words: [first = '', ...rest] }) =>
      first in OPTIONS
        ? [first, ...rest.filter((word) => /^--(?:fix|dry-run)/.test(word))].join(' ')
        : parseRequests(first)
            .map(({ kind }) => kind)
            .join(' '),
    );
    expect([...new Set(forms)].sort()).toEqual([
      'file',
      'migrate',
      'migrate --dry-run',
      'remember',
      'section',
      'stats',
      'trigger',
      'trigger trigger',
      'validate',
      'validate --fix',
    ]);
  });

  it('show entries that the index reads, within the limits they state', () => {
    const { entries } = parseIndex(`## testing.md\n\n${SKILLS.remember.replaceAll('```', '')}`);
    expect(entries.map(({ phrase, header, description }) => [phrase, header, description])).toEqual(
      [['writing mock tests', 'Mock patching pattern', 'patch where used, not defined']],
    );
    expect(SKILLS.remember).toContain('8 to 20 words');
  });

  it('give the naming guidelines and examples of the specification', () => {
    expect(SKILLS.remember).toContain(
      `- Prefer activity phrases: "writing X", "configuring Y", "debugging Z"
- Use lowercase, no special characters
- Keep concise (2-5 words typical)
- Optimize for discovery: what would agent search for when facing this problem?
`,
    );
    expect(SKILLS.remember).toContain(
      '| "writing mock tests" | good |\n| "mock patching" | acceptable |\n| "mocks" | too vague |',
    );
  });

  it('recall nothing when they are pasted into a chat', () => {
    expect(Object.values(SKILLS).flatMap(findCommands)).toEqual([]);
  });
});

it('the consumption header of an index recalls nothing when it is pasted into a chat', () => {
  expect(findCommands(CONSUMPTION_HEADER)).toEqual([]);
});
