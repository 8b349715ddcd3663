/** The OpenAPI document: made from the table of operations, and true of the routes that are served. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/operations/index.js';
import { call } from '../../helpers/http.js';
import { startServer, type TestServer } from '../../helpers/server.js';

type Told = {
  operationId: string;
  description: string;
  parameters: { name?: string; in?: string; schema?: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content: Record<string, { schema: object }> }>;
};

let server: TestServer;
let document: Record<string, unknown>;
beforeAll(async () => {
  server = await startServer();
  const answer = await call('GET', `${server.baseUrl}/cue/openapi.json`);
  expect(answer.status).toBe(200);
  document = answer.body;
});
afterAll(() => server.stop());

const told = (): [route: string, Told][] =>
  Object.entries(document.paths as Record<string, Record<string, Told>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, one]): [string, Told] => [
        `${method.toUpperCase()} /cue${path.replace(/\{(\w+)\}/g, ':$1')}`,
        one,
      ]),
  );

it('has each operation of the table that is served, once, at the route that the server has', () => {
  const served = OPERATIONS.filter(({ rest }) => rest !== undefined);
  expect(
    told()
      .map(([, { operationId }]) => operationId)
      .toSorted(),
  ).toEqual(served.map(({ name }) => name).toSorted());
  const routes = server.runtime.routes.map(({ type, path }) => `${type} ${path}`);
  expect(told().filter(([route]) => !routes.includes(route))).toEqual([]);
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
});

it('declares what stands in a path, and has schemas that compile', () => {
  const ajv = new AjvJsonSchemaValidator();
  for (const [route, { parameters, requestBody, responses }] of told()) {
    const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
    expect([route, inPath]).toEqual([route, route.includes(':id') ? ['id'] : []]);
    const contents = [requestBody, ...Object.values(responses)].flatMap((one) =>
      one === undefined ? [] : Object.values(one.content),
    );
    const schemas = [...parameters, ...contents].flatMap(({ schema }) => schema ?? []);
    for (const schema of schemas.filter((one) => !('$ref' in one))) {
      expect([route, typeof ajv.getValidator(schema)]).toEqual([route, 'function']);
    }
  }
  const refs = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? [];
  expect([...new Set(refs)].toSorted()).toEqual([
    '"$ref":"#/components/parameters/agentId"',
    '"$ref":"#/components/schemas/Error"',
  ]);
});

it('says of a body what a request may hold, and of an answer what it has', async () => {
  const store = told().find(([route]) => route === 'POST /cue/memories')?.[1];
  const schema = store?.requestBody?.content['application/json']?.schema;
  expect(schema).toMatchObject({
    properties: { intent: {}, outcome: {}, remind_when: {}, agent_id: { format: 'uuid' } },
  });
  const list = told().find(([route]) => route === 'GET /cue/triggers')?.[1];
  expect(list?.parameters.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['limit', 'cursor', 'state', 'q', 'order']),
  );
});
