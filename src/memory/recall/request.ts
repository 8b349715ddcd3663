/** What a caller may ask of `recall`, and what it means. Pure. */
import { z } from 'zod';
import { wrongField } from '../../shared/errors.js';
import { isRecord } from '../../shared/json.js';
import { pathKeys } from '../../shared/paths.js';
import { parseInput } from '../input.js';
import { DEPTHS } from '../render.js';
import {
  isoSchema,
  ORIGINS,
  sessionSchema,
  TASK_TYPES,
  type TaskType,
  tagsFilterSchema,
  uuidSchema,
} from '../schema.js';
import { readReference } from './reference.js';

export const MAX_RECALLED = 100;
export const DEFAULT_LIMIT = 5;

const SCOPES = ['memory', 'file', 'intent', 'pattern', 'session', 'task', 'agent'] as const;
const FIELD_OF_SCOPE = {
  memory: 'memory_id',
  file: 'file',
  intent: 'intent',
  pattern: 'pattern',
  session: 'session',
  task: 'task_type',
  agent: 'agent_id',
} as const;

/** Fields that say what to recall; the others say how. */
const SELECTORS = [
  'memory_id',
  'file',
  'intent',
  'pattern',
  'session',
  'task_type',
  'agent_id',
  'query',
  'tags',
  'since',
  'before',
] as const;

function isSelector(key: string): boolean {
  return SELECTORS.some((selector) => selector === key);
}

const words = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(8_192, 'must be at most 8192 characters');

export const recallSchema = z.strictObject({
  ref: words.optional(),
  memory_id: z.string().trim().min(1).max(100).optional(),
  file: words.refine((path) => pathKeys(path).length > 0, 'is no path of a file').optional(),
  intent: words.optional(),
  pattern: words.optional(),
  session: sessionSchema.optional(),
  task_type: z.enum(TASK_TYPES).optional(),
  agent_id: uuidSchema.optional(),
  query: words.optional(),
  scope: z.enum(SCOPES).optional(),
  target: words.optional(),
  success_only: z.boolean().default(false),
  failures_only: z.boolean().default(false),
  include_failures: z.boolean().default(true),
  since: isoSchema.optional(),
  before: isoSchema.optional(),
  tags: tagsFilterSchema,
  /** `captured`: made from a finished run by itself. */
  origin: z.enum(ORIGINS).optional(),
  depth: z.enum(DEPTHS).default('outcome'),
  limit: z.int().min(1).max(MAX_RECALLED).default(DEFAULT_LIMIT),
  include_links: z.boolean().default(false),
  strategy: z.enum(['auto', 'exact', 'semantic']).default('auto'),
  min_confidence: z.number().min(0).max(1).optional(),
});
export type RecallInput = z.input<typeof recallSchema>;

/** A request whose reference and scope have been read. */
export interface RecallRequest
  extends Omit<z.output<typeof recallSchema>, 'ref' | 'scope' | 'target'> {
  task_type?: TaskType | undefined;
}

/**
 * Reads an object or a reference string.
 * @throws InvalidInputError naming each field
 */
export function readRequest(input: unknown): RecallRequest {
  const given = typeof input === 'string' ? { ref: input } : input;
  const { ref, scope, target, ...request } = parseInput(recallSchema, given);
  const fromScope = scopeFields(scope, target);
  const fromRef = ref === undefined ? {} : readReference(ref);
  const extra = { ...fromScope, ...fromRef };
  if (Object.keys(extra).length === 0) return checked(request);
  // What a reference says is read by the same schema. Options beside it win over its own; two
  // different things to recall are one too many.
  const said = isRecord(given) ? without(given, ['ref', 'scope', 'target']) : {};
  const twice = Object.keys(extra).find((key) => key in said && isSelector(key));
  if (twice !== undefined) {
    const where = ref === undefined ? 'scope and target' : `the reference "${ref}"`;
    throw wrongField(twice, `cannot be combined with ${where}: leave one of them out`);
  }
  const {
    ref: _ref,
    scope: _scope,
    target: _target,
    ...whole
  } = parseInput(recallSchema, {
    ...extra,
    ...said,
  });
  return checked(whole);
}

function scopeFields(
  scope: (typeof SCOPES)[number] | undefined,
  target: string | undefined,
): Record<string, unknown> {
  if (scope === undefined && target === undefined) return {};
  if (scope === undefined)
    throw wrongField('scope', `is required with target: ${SCOPES.join(', ')}`);
  if (target === undefined) throw wrongField('target', `is required with scope "${scope}"`);
  return { [FIELD_OF_SCOPE[scope]]: target };
}

function checked(request: RecallRequest): RecallRequest {
  if (request.success_only && request.failures_only) {
    throw wrongField('failures_only', 'excludes success_only: choose one');
  }
  if (request.failures_only && !request.include_failures) {
    throw wrongField('include_failures', 'is false, yet failures_only asks for them');
  }
  if (request.since !== undefined && request.before !== undefined) {
    if (Date.parse(request.since) >= Date.parse(request.before)) {
      throw wrongField('before', 'must be later than since');
    }
  }
  const { success_only, failures_only, include_failures, origin } = request;
  const isFiltered = success_only || failures_only || !include_failures || origin !== undefined;
  if (!isFiltered && SELECTORS.every((key) => isNothing(request[key]))) {
    throw wrongField(
      '(body)',
      'says nothing to recall: give query, ref, file, task_type, tags, session, agent_id, since, before, failures_only or success_only',
    );
  }
  return request;
}

function isNothing(value: RecallRequest[(typeof SELECTORS)[number]]): boolean {
  return value === undefined || value.length === 0;
}

function without(value: Record<string, unknown>, keys: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
