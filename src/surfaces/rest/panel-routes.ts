/**
 * The page of the panel and what it is built of. They hold no data and need no key: the page asks for the
 * data by the other routes, with the key that the person has.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Route } from '@elizaos/core';
import { z } from 'zod';
import { AppError, NotFoundError } from '../../shared/errors.js';
import type { MakeRoute, SentFile } from './route.js';

const BUILT = fileURLToPath(new URL('../../../dist/panel', import.meta.url));
/**
 * The host's web UI shows public routes with a name as tabs, in a frame with the address
 * `/api/agents/<id>/plugins/cue<path>?agentId=<id>`. A frame sends no key, and below `/api` the host wants
 * one: by this path the browser arrives at `/cue/panel`.
 */
const TAB_PATH = '/../../../../../cue/panel';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
const FOR_EVER = 'public, max-age=31536000, immutable';
/** The host adds parameters of its own; the page reads them. */
const anyQuery = z.looseObject({});

interface Panel {
  page: SentFile;
  assets: ReadonlyMap<string, SentFile>;
}

/** @param folder where the panel is built; `dist/panel` of the package when absent */
export function panelRoutes(route: MakeRoute, folder: string = BUILT): Route[] {
  let read: Panel | null = null;
  // Kept in memory, all of one build, also while another one is put in its place.
  const panel = (): Panel => {
    read ??= readPanel(folder);
    if (read !== null) return read;
    throw new AppError('NOT_FOUND', 'the panel is not built: run npm run build', { what: 'panel' });
  };
  const shell = (path: string): Route =>
    route({
      type: 'GET',
      path,
      open: true,
      query: anyQuery,
      handle: async () => ({ status: 200, body: panel().page }),
    });
  return [
    shell('/panel'),
    { ...shell(TAB_PATH), public: true, name: 'Cue' },
    route({
      type: 'GET',
      path: '/panel/assets/:file',
      open: true,
      query: anyQuery,
      handle: async ({ params: { file = '' } }) => {
        const asset = panel().assets.get(file);
        if (asset) return { status: 200, body: asset };
        throw new NotFoundError('file of the panel', file);
      },
    }),
  ];
}

function readPanel(folder: string): Panel | null {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return null;
  const assets = join(folder, 'assets');
  const names = existsSync(assets)
    ? readdirSync(assets, { withFileTypes: true }).flatMap((one) => (one.isFile() ? one.name : []))
    : [];
  return {
    page: sent(page, 'no-cache'),
    assets: new Map(names.map((name) => [name, sent(join(assets, name), FOR_EVER)])),
  };
}

function sent(path: string, caching: string): SentFile {
  return {
    bytes: readFileSync(path),
    headers: {
      'content-type': TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream',
      'cache-control': caching,
      ...HEADERS,
    },
  };
}
