/** Every example of docs/rest.md, docs/memory.md and docs/proactive.md, run in the order of the pages. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeChat } from '../../helpers/boot.js';
import { type Call, call } from '../../helpers/http.js';
import { memoryOf } from '../../helpers/memory.js';
import { startServer, type TestServer } from '../../helpers/server.js';
import { knowledgeFolder, whenOf } from '../../helpers/when.js';

const KEY = 'a-key-of-the-docs';
const page = ['rest', 'memory', 'proactive']
  .map((name) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8'))
  .join('\n');
const examples = [...page.matchAll(/^```sh\n# (\d{3})\n([\s\S]*?)^```/gm)].map(
  ([, status, command], index) => ({
    name: `${index + 1}. ${(command ?? '').split('\n')[0]?.slice(0, 70)}`,
    status: Number(status),
    command: command ?? '',
  }),
);

const folder = knowledgeFolder();
let server: TestServer;
/** What the shell variables hold; `ID`, `M`, `O`: the last trigger, memory and offer created. */
const variables: Record<string, string> = { TOKEN: KEY };

beforeAll(async () => {
  server = await startServer({
    env: { ELIZA_SERVER_AUTH_TOKEN: KEY },
    settings: folder.settings,
  });
  await memoryOf(server.runtime);
  await whenOf(server.runtime);
  variables.B = server.baseUrl;
  variables.AGENT = server.agentId;
  variables.ROOM = (await makeChat(server.runtime, 'rest-docs')).roomId;
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

describe('docs/rest.md, docs/memory.md and docs/proactive.md', () => {
  it('gives a status to each example', () => {
    expect(examples.length).toBe([...page.matchAll(/^```sh$/gm)].length);
    expect(examples.length).toBeGreaterThan(20);
  });

  it('lists every route', () => {
    for (const { type, path } of server.runtime.routes) {
      if (path.startsWith('/cue/') && !path.endsWith('/*') && !path.includes('..'))
        expect(page).toContain(`| \`${type} ${path}\` |`);
    }
  });

  it.each(examples)('$name', async ({ command, status }) => {
    const { method, url, options } = curl(command);
    const answer = await call(method, url, options);
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
    const { trigger, memory_id, offers } = answer.body as {
      trigger?: { id: string };
      memory_id?: string;
      offers?: { id: string }[];
    };
    if (answer.status === 201 && trigger) variables.ID = trigger.id;
    if (answer.status === 201 && memory_id) variables.M = memory_id;
    if (answer.status === 201 && offers) variables.O = offers[0]?.id ?? 'none';
  });
});

/** The few options of curl that the page uses. */
function curl(command: string): { method: string; url: string; options: Call } {
  const [program, ...words] = wordsOf(command);
  expect(program).toBe('curl');
  const headers: Record<string, string> = {};
  let method: string | undefined;
  let raw: string | undefined;
  let url = '';
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '-X') method = words.shift();
    else if (word === '-d') raw = words.shift();
    else if (word === '-H') {
      const [name = '', ...value] = (words.shift() ?? '').split(': ');
      headers[name.toLowerCase()] = value.join(': ');
    } else url = word;
  }
  return {
    method: method ?? (raw === undefined ? 'GET' : 'POST'),
    url,
    options: { headers, ...(raw === undefined ? {} : { raw }) },
  };
}

/** Words as a shell makes them: quotes, backslashes, and variables outside of single quotes. */
function wordsOf(command: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (const [part] of command.trim().matchAll(/'[^']*'|"[^"]*"|\\.|\s+|[^\s'"\\]+/gs)) {
    if (/^\s/.test(part)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + meaningOf(part);
    }
  }
  return word === null ? words : [...words, word];
}

function meaningOf(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (part.startsWith('\\')) return part.slice(1);
  const bare = part.startsWith('"') ? part.slice(1, -1) : part;
  return bare.replace(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? '');
}
