/**
 * The offline model behind the address of a provider: speaks as much of OpenAI's HTTP interface as
 * `@elizaos/plugin-openai` asks for, so that a character with that plugin can be tried without a key.
 *
 *   node --import ./demo/typescript.mjs demo/model-server.ts      prints its OPENAI_BASE_URL
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type * as Cue from '../src/index.js';
import { at } from './client.js';
import { answerPrompt, embed } from './offline-model.js';

/** What the plugin of the provider expects of its default embedding model. */
const DIMENSION = 1536;
const MODEL = 'cue-offline-model';
const AGENT_NAME = process.env.AGENT_NAME ?? 'My agent';

const built = new URL('../dist/index.js', import.meta.url);
const { parseScheduleText } = (await import(built.href)) as typeof Cue;

function answer(prompt: string): string {
  return answerPrompt(prompt, { parse: parseScheduleText, agentName: AGENT_NAME });
}

/** The last text that the request puts before the model. */
function promptOf(body: unknown): string {
  const input = at(body, 'input');
  if (!Array.isArray(input)) return String(input);
  const content = at(input.at(-1), 'content');
  return Array.isArray(content)
    ? content.map((part) => String(at(part, 'text'))).join('')
    : String(content);
}

function responseOf(text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 0, model: MODEL, status: 'completed' },
    ...{ usage, error: null, incomplete_details: null },
    output: [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }],
  };
}

function stream(text: string, response: ServerResponse): void {
  const done = responseOf(text);
  const [item] = done.output;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events: Record<string, unknown>[] = [
    { type: 'response.created', response: { ...done, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: text },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: done },
  ];
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
}

function embeddingOf(text: string): number[] {
  const vector = embed(text);
  return [...vector, ...new Array<number>(DIMENSION - vector.length).fill(0)];
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body: unknown = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
  const json = (status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  switch (`${request.method} ${request.url}`) {
    case 'GET /v1/models':
      return json(200, { data: [{ id: MODEL }] });
    case 'POST /v1/embeddings':
      return json(200, { data: [{ embedding: embeddingOf(String(at(body, 'input'))) }] });
    case 'POST /v1/responses': {
      const text = answer(promptOf(body));
      return at(body, 'stream') === true ? stream(text, response) : json(200, responseOf(text));
    }
    default:
      return json(404, { error: { message: `${request.method} ${request.url} is not served` } });
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: String(error) } }));
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  console.log(`OPENAI_BASE_URL=http://127.0.0.1:${port}/v1`);
});
