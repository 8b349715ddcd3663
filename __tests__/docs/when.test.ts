/** Runs docs/when.md: its files are written, its commands run, its tables compared with what is. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LISTING_TOKENS, RECALL_TOKENS, recallBlock } from '../../src/surfaces/eliza/when-text.js';
import { MAX_FILE_BYTES, MAX_FILES } from '../../src/when/disk/read.js';
import { SETTLE_MS } from '../../src/when/disk/watch.js';
import { MAX_CONTENT_BYTES } from '../../src/when/remember.js';
import { LONGEST_REQUEST, MOST_REQUESTS } from '../../src/when/requests.js';
import { FLOOR } from '../../src/when/resolve.js';
import { MAX_WORDS, MIN_WORDS } from '../../src/when/validate.js';
import { makeProject, type Project } from '../surfaces/cli/cue.js';
import { blocksOf, codeOf, commandsOf, pageOf } from './page.js';

const page = pageOf('when');
const blocks = blocksOf(page);

describe('docs/when.md', () => {
  let project: Project;
  beforeAll(() => {
    project = makeProject();
  });
  afterAll(() => project.remove());

  it.each(blocks)('block $name', async ({ kind, about, text }) => {
    switch (kind) {
      case 'file':
        project.write(about, text);
        return;
      case 'shows':
        expect(project.read(about).trimEnd()).toBe(text.trimEnd());
        return;
      case 'run':
        await runs(project, about, text);
        return;
      case 'prompt':
        expect(await promptFor(project, about)).toBe(text.trimEnd());
        return;
      case 'shape':
        expect(keysOf((await project.json('when', 'writing mock tests')).document)).toEqual(
          keysOf(JSON.parse(text)),
        );
        return;
      default:
        expect.unreachable(`nothing is known of ${kind}`);
    }
  });

  it('has blocks of every kind', () => {
    expect([...new Set(blocks.map(({ kind }) => kind))].sort()).toEqual(
      ['file', 'prompt', 'run', 'shape', 'shows'].sort(),
    );
  });
});

async function runs(project: Project, about: string, text: string): Promise<void> {
  const folder = /\bin (\S+)/.exec(about)?.[1] ?? '';
  const code = codeOf({ about });
  for (const { argv, printed } of commandsOf('cue', text)) {
    const ended = await project.cueWith({ cwd: join(project.root, folder) }, ...argv);
    expect(withoutConfidence(`${ended.out}${ended.err}`.trimEnd())).toBe(
      withoutConfidence(printed),
    );
    expect(ended.code).toBe(code);
  }
}

/** What it is worth is measured by the evaluation, and changes with it. */
function withoutConfidence(text: string): string {
  return text.replace(/confidence 0\.\d\d/g, 'confidence 0.00');
}

async function promptFor(project: Project, command: string): Promise<string> {
  const { document } = await project.json('when', command);
  return recallBlock([
    { by: 'message', recall: document as Parameters<typeof recallBlock>[0][0]['recall'] },
  ]);
}

/** Names of all fields, without those of further items of a list. */
function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(keysOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, keysOf(one)]));
}

describe('the table of codes in docs/when.md', () => {
  const told = new Map(
    page.split('\n').flatMap((row) => {
      const [, codes = '', says = ''] =
        /^\| ((?:`\w+`(?:, )?)+) \| (error|warning)/.exec(row) ?? [];
      const mended = /\| (?:error|warning), mended \|/.test(row);
      return [...codes.matchAll(/`(\w+)`/g)].map(
        ([, code = '']) => [code, { severity: says, fixable: mended }] as const,
      );
    }),
  );

  it('has what the validator says, and nothing else', async () => {
    const project = makeProject();
    try {
      const at = (path: string, text: string) => project.write(`agents/${path}`, text);
      at('decisions/a.md', FILE_A);
      at('decisions/deep/b.md', FILE_B);
      at('decisions/b.md', '# B\n');
      at('memory-index.md', INDEX);
      at('decisions/merged.md', '# M\n\n<<<<<<< HEAD\n=======\n>>>>>>> other\n');
      const { document } = await project.json('when', 'validate');
      const { problems } = document as {
        problems: { code: string; severity: string; fixable: boolean }[];
      };
      const said = problems.map(
        ({ code, severity, fixable }) => [code, { severity, fixable }] as const,
      );
      expect(Object.fromEntries(said)).toEqual(Object.fromEntries(told));
    } finally {
      project.remove();
    }
  });

  it('has the limits', () => {
    expect(page).toContain(
      `| requests of one command | ${MOST_REQUESTS}, of at most ${LONGEST_REQUEST} `,
    );
    expect(page).toContain(`| a file | ${MAX_FILE_BYTES / 2 ** 20} MB`);
    expect(page).toContain(`| files | ${MAX_FILES.toLocaleString('en-US')}, `);
    expect(page).toContain(`| content of a new section | ${MAX_CONTENT_BYTES / 1024} KB |`);
    expect(page).toContain(`have ${MIN_WORDS} to ${MAX_WORDS} words`);
    expect(page).toContain(`Below ${FLOOR.toFixed(2)} it **stops**`);
    expect(page).toContain(`${(SETTLE_MS / 1000).toFixed(1)} s later`);
    expect(page).toContain(`At most ${RECALL_TOKENS.toLocaleString('en-US')} tokens`);
    expect(page).toContain(`(${LISTING_TOKENS} tokens at most`);
  });
});

const WORDS = 'these are the words that it is found by';
const INDEX = `# Index

## decisions/a.md

/when writing one | First | ${WORDS}
/when writing none | First | ${WORDS}
/when writing more | Third | ${WORDS}
/when writing less | Second | ${WORDS}
/when writing less | Second | ${WORDS}
/when writing one | Twice | ${WORDS}
/when writing up the seventh of many things | Fourth | ${WORDS}
/when Writing: loud | Fifth | ${WORDS}
/when \`\` | Sixth | ${WORDS}
/when writing long | Seventh | ${'long '.repeat(70)}
/when writing dots | .Group | ${WORDS}
/when writing nowhere | Not there | ${WORDS}
/when writing elsewhere | Only in b | ${WORDS}
/when writing half
1. /when writing lists | First | ${WORDS}
An old key — and its words

## decisions/none.md

/when writing lost | Lost | ${WORDS}
`;
const FILE_A = `# A

## .Group

${['First', 'Second', 'Third', 'Twice', 'Twice', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Orphan']
  .map((title) => `### ${title}\n\ntext\n`)
  .join('\n')}`;
const FILE_B = '# B\n\n## .Group\n\n### Only in b\n\ntext\n';
