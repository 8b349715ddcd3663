/** Runs docs/cli.md against a real agent: files are written, commands run, what they print compared. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, startServed } from '../surfaces/cli/served.js';
import { blocksOf, type Command, codeOf, commandsOf, pageOf } from './page.js';

const page = pageOf('cli');
const blocks = blocksOf(page);

const terminal = { columns: 120, hasColors: false };

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|mem_[0-9a-f]{8}/g;
const idsIn = (text: string): string[] => text.match(ID) ?? [];

/** Without what is of the moment; ids by the order in which they stand there. */
function masked(text: string): string {
  return (
    text
      .replace(ID, '<id>')
      .replace(/^[0-9a-f]{8}(?= )/gm, '<short>')
      .replace(/\d{4}-\d\d-\d\d(?: \d\d:\d\d [A-Z]{3,4}|T[\d:.]+Z)/g, '<time>')
      .replace(/\b\w{3} \d{1,2} \w{3} \d{4},/g, '<day>,')
      .replace(/process \d+, port \d+/, 'process <n>, port <n>')
      .replace(
        /agent [\w ]+, server process \d+ at http:[\w.:/]+/,
        'agent <name>, server process <n>',
      )
      .replace(/\b(?:just now|\d+[mhdw] ago|in \d+[mhd])\b/g, '<age>')
      .replace(/\b\d+\.\d s\b/g, '<took>')
      // How wide a column is depends on those.
      .replace(/(?<=\S) {2,}/g, '  ')
  );
}

describe('docs/cli.md', () => {
  let served: Served;
  /** From the ids of the page to those of the agent. */
  const known = new Map<string, string>();
  beforeAll(async () => {
    served = await startServed();
  });
  afterAll(() => served.stop());

  const own = (text: string): string => text.replace(ID, (id) => known.get(id) ?? id);

  async function runs(code: number, { argv, from, to, printed }: Command): Promise<void> {
    const stdin = from === undefined ? '' : served.read(from);
    const ended = await served.cueWith({ stdin, terminal }, ...argv.map(own));
    if (to !== undefined) served.write(to, ended.out);
    const shown = `${to === undefined ? ended.out : ''}${ended.err}`.trimEnd();
    expect(masked(shown)).toBe(masked(printed));
    expect(ended.code).toBe(code);
    const real = idsIn(shown);
    for (const [at, id] of idsIn(printed).entries()) {
      const one = real[at] ?? '';
      expect(known.get(id) ?? one).toBe(one);
      known.set(id, one);
    }
  }

  it.each(blocks)('block $name', async ({ kind, about, text }) => {
    if (kind === 'file') {
      served.write(about, text);
      return;
    }
    expect(kind).toBe('run');
    const code = codeOf({ about });
    for (const command of commandsOf('cue', text)) await runs(code, command);
  });

  it('has every command of the program', async () => {
    const { out } = await served.cue('--help');
    const names = [...out.matchAll(/^ {2}(\w+)(?: \[| <| {2})/gm)].map(([, name]) => name);
    const missing = names.filter((name) => name !== 'help' && !page.includes(`\`cue ${name}`));
    expect(missing).toEqual([]);
    expect(names.length).toBeGreaterThan(10);
  });

  it('has every flag of purge', async () => {
    const { out } = await served.cue('purge', '--help');
    for (const [flag] of out.matchAll(/(?<=^ {2})--[a-z-]+(?= )/gm)) expect(page).toContain(flag);
  });
});
