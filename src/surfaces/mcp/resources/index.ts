/** `resources/…` of one connection. */
import type { IAgentRuntime } from '@elizaos/core';
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { offersOf } from '../../../operations/index.js';
import { AppError, messageOf } from '../../../shared/errors.js';
import { safe } from '../../../shared/safe-text.js';
import { answering, type Connection, requireFirstPage } from '../connection.js';
import { createFileRoots, readFileBelow } from './files.js';
import {
  type Candidates,
  hintsResource,
  listedMemories,
  memoryResource,
  offerResources,
  type ResourceCall,
  type ResourceSpec,
  whenResources,
} from './stored.js';

export { newsUri, OFFERS_URI } from './stored.js';

const RESOURCES: readonly ResourceSpec[] = [
  ...offerResources,
  ...whenResources,
  hintsResource,
  memoryResource,
];

const FILES = {
  uriTemplate: 'file:///{+path}',
  name: 'file',
  title: 'File',
  description:
    'A file below your roots, or below CUE_FILE_ROOTS over HTTP. To read or subscribe counts as touching it: what is remembered of it is offered.',
};

const MAX_URI = 8_192;

/** @param subscriptions URIs of which the client wants to be told; filled and emptied here */
export function registerResources(connection: Connection, subscriptions: Set<string>): void {
  const { server, runtime, session, log } = connection;
  const roots = createFileRoots(connection);
  const readable = async () => ({
    roots: await roots.current(),
    privateFolders: connection.privateFolders(),
  });
  const answer = <T>(work: () => Promise<T>) => answering(connection, 'resources', work);

  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    answer(async () => {
      const cursor = params?.cursor;
      const fixed = RESOURCES.filter((one) => !isTemplate(one) && isThere(one, runtime));
      const { resources, nextCursor } = await listedMemories(connection, cursor);
      return {
        resources: [...(cursor === undefined ? fixed.map(told) : []), ...resources],
        ...(nextCursor === null ? {} : { nextCursor }),
      };
    }),
  );

  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) => {
    requireFirstPage(params?.cursor);
    const templates = RESOURCES.filter((one) => isTemplate(one) && isThere(one, runtime)).map(
      (one) => {
        const { uri: uriTemplate, ...rest } = told(one);
        return { uriTemplate, ...rest };
      },
    );
    return { resourceTemplates: [...templates, FILES] };
  });

  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    answer(async () => {
      if (isFile(uri)) {
        const { path, content } = await readFileBelow(uri, await readable());
        touch(path, 'read');
        return { contents: [{ uri, ...content }] };
      }
      const { resource, value } = named(uri);
      const { text, _meta } = await resource.read(value, connection);
      const { mimeType } = resource;
      return { contents: [{ uri, mimeType, text, ...(_meta === undefined ? {} : { _meta }) }] };
    }),
  );

  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) =>
    answer(async () => {
      if (isFile(uri)) {
        // Files are not watched: to subscribe to one says that it is being worked on.
        touch((await readFileBelow(uri, await readable())).path, 'open');
        return {};
      }
      const { resource } = named(uri);
      if (!resource.changes) {
        throw new McpError(ErrorCode.InvalidParams, 'nothing is told of changes of this resource');
      }
      subscriptions.add(uri);
      return {};
    }),
  );

  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscriptions.delete(uri);
    return {};
  });

  server.setNotificationHandler(RootsListChangedNotificationSchema, () => roots.forget());

  /** Beside the answer, which nobody should wait for; what comes of it waits to be told. */
  function touch(filePath: string, operation: 'read' | 'open'): void {
    const { id: sessionId, identityId: agentId } = session;
    const happening = {
      ...{ type: 'file_touch', filePath, operation, sessionId },
      ...(agentId === null ? {} : { agentId }),
    };
    const look = async () =>
      offersOf(runtime).happen(happening, session.caller(), { answered: false });
    look().catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'a file that was read could not be looked into');
    });
  }
}

/** Values of a template's variable, none where nothing completes; `null` of a URI that is not listed. */
export async function completeResource(
  uri: string,
  variable: string,
  begun: string,
  call: ResourceCall,
): Promise<Candidates | null> {
  const resource = RESOURCES.find((one) => one.uri === uri);
  if (!resource) return uri === FILES.uriTemplate ? { values: [] } : null;
  const isAsked = uri.endsWith(`{${variable}}`) && isThere(resource, call.runtime);
  return (isAsked ? await resource.complete?.(begun, call) : undefined) ?? { values: [] };
}

/** @throws AppError NOT_FOUND for a URI of nothing here */
function named(uri: string): { resource: ResourceSpec; value: string } {
  const resource =
    uri.length > MAX_URI
      ? undefined
      : RESOURCES.find((one) => (isTemplate(one) ? uri.startsWith(stem(one)) : one.uri === uri));
  const value = resource && isTemplate(resource) ? decoded(uri.slice(stem(resource).length)) : '';
  if (resource && value !== null && (value !== '' || !isTemplate(resource))) {
    return { resource, value };
  }
  throw new AppError('NOT_FOUND', `there is no resource "${safe(uri, 200)}"`, {
    uri: safe(uri, 200),
  });
}

function isThere({ isThere: look }: ResourceSpec, runtime: IAgentRuntime): boolean {
  return look?.(runtime) ?? true;
}

function isTemplate({ uri }: ResourceSpec): boolean {
  return uri.endsWith('}');
}

/** What stands before the variable. */
function stem({ uri }: ResourceSpec): string {
  return uri.slice(0, uri.indexOf('{'));
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function isFile(uri: string): boolean {
  return /^file:/i.test(uri);
}

function told({ uri, name, title, description, mimeType }: ResourceSpec) {
  return { uri, name, title, description, mimeType };
}
