/** Pages of the documentation, as the tests that run them read them. */
import { readFileSync } from 'node:fs';

/** @param name "cli" for docs/cli.md */
export function pageOf(name: string): string {
  return readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
}

export interface Block {
  /** What is to be done with it. */
  kind: string;
  /** Behind the colon of its remark. */
  about: string;
  text: string;
  /** Of its test: one name of each block. */
  name: string;
}

/** Fenced blocks with a remark above: `<!-- run: exit 3 -->`. */
export function blocksOf(page: string): Block[] {
  const found = page.matchAll(/^<!-- (\w+)(?:: (.+))? -->\n(`{3,})\w+\n([\s\S]*?)^\3$/gm);
  return [...found].map(([, kind = '', about = '', , text = ''], at) => ({
    ...{ kind, about, text },
    name: `${at + 1}: ${kind} ${about}`.trim(),
  }));
}

/** The code that the commands of a block are to end with. */
export function codeOf({ about }: Pick<Block, 'about'>): number {
  return Number(/\bexit (\d)/.exec(about)?.[1] ?? 0);
}

export interface Command {
  argv: string[];
  /** The file that is read from, or that what is printed goes to. */
  from?: string;
  to?: string;
  printed: string;
}

/** `$ cue recall "old bug" > found.txt` and what it prints, a blank line between two commands. */
export function commandsOf(program: 'cue' | 'nudge', text: string): Command[] {
  return text
    .split(new RegExp(`^\\$ ${program} `, 'm'))
    .slice(1)
    .map((part) => {
      const [line = '', ...printed] = part.trimEnd().split('\n');
      const [, command = line, arrow, file] = /^(.*?) ([<>]) (\S+)$/.exec(line) ?? [];
      const words = command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
      const argv = [...words].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
      return {
        ...{ argv, printed: printed.join('\n') },
        ...(arrow === '<' && file !== undefined ? { from: file } : {}),
        ...(arrow === '>' && file !== undefined ? { to: file } : {}),
      };
    });
}
