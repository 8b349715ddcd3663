/** `GET /cue/openapi.json`: the routes of the table of operations as an OpenAPI 3.1 document. */
import type { Route } from '@elizaos/core';
import { z } from 'zod';
import { isTool, OPERATIONS, type Operation, type RestBinding } from '../../operations/index.js';
import { ERROR_TABLE } from '../../shared/errors.js';
import { packageVersion } from '../../shared/package-version.js';
import type { MakeRoute } from './route.js';

type Json = Record<string, unknown>;

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: { enum: Object.keys(ERROR_TABLE) },
        message: { type: 'string' },
        details: { type: 'object' },
      },
    },
  },
};

let made: Json | undefined;

export function openApiRoute(route: MakeRoute): Route {
  return route({
    type: 'GET',
    path: '/openapi.json',
    handle: async () => {
      made ??= openApiDocument();
      return { status: 200, body: made };
    },
  });
}

/** Streams, events, autonomy, export, MCP and JSON-RPC are not in the table, nor in the document. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    const { rest } = operation;
    if (rest === undefined) continue;
    const path = rest.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [rest.method.toLowerCase()]: told(operation, rest) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cue',
      version: packageVersion(),
      description: 'Work memory, triggers and project knowledge of an Eliza agent.',
    },
    servers: [{ url: '/cue' }],
    security: [{}, { apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Error: ERROR },
      parameters: {
        agentId: { name: 'agentId', in: 'query', schema: { type: 'string', format: 'uuid' } },
      },
    },
  };
}

function told(operation: Operation, rest: RestBinding): Json {
  const { name, description, input, output } = operation;
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const takesBody = ['POST', 'PUT', 'PATCH'].includes(rest.method) && rest.body !== 'none';
  const body = rest.body === undefined || rest.body === 'none' ? input : rest.body;
  return {
    operationId: name,
    ...(isTool(operation) ? { tags: [operation.group], summary: operation.title } : {}),
    description,
    parameters: [
      ...(rest.path.includes(':id') ? [id] : []),
      { $ref: '#/components/parameters/agentId' },
      ...queryOf(rest),
    ],
    ...(takesBody
      ? {
          requestBody: {
            required: rest.bodyOptional !== true,
            content: jsonOf(without(schemaOf(body, 'input'), rest)),
          },
        }
      : {}),
    responses: {
      '2XX': {
        description: 'What was asked for.',
        content: jsonOf(
          rest.answer === undefined ? schemaOf(output, 'output') : { type: 'object' },
        ),
      },
      default: {
        description: 'What went wrong, with its code.',
        content: jsonOf({ $ref: '#/components/schemas/Error' }),
      },
    },
  };
}

function queryOf({ query }: RestBinding): Json[] {
  if (query === undefined) return [];
  const { properties, required } = schemaOf(query, 'input');
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(Object(properties)).map(([name, schema]) => ({
    ...{ name, in: 'query', required: needed.includes(name), schema },
  }));
}

/** What the path says is not in the body; who speaks is. */
function without(schema: Json, { path, id = 'id', isSpokenFor, session }: RestBinding): Json {
  const properties = { ...Object(schema.properties) };
  if (path.includes(':id')) delete properties[id];
  if (isSpokenFor) properties.agent_id = { type: 'string', format: 'uuid' };
  if (session !== undefined) properties[session] = { type: 'string' };
  const required = Array.isArray(schema.required)
    ? { required: schema.required.filter((name) => name in properties) }
    : {};
  return schema.type === 'object' ? { ...schema, properties, ...required } : schema;
}

function jsonOf(schema: Json): Json {
  return { 'application/json': { schema } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    ...{ io, unrepresentable: 'any', reused: 'inline' },
  });
  return rest;
}
