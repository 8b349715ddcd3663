/** The shape of exports, and reading them back line by line. Pure. */
import { z } from 'zod';
import { VISIBILITIES } from '../records/index.js';
import { AppError, InvalidInputError, messageOf, wrongField } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { isObject, parsedJson } from '../shared/json.js';
import {
  chapterSchema,
  isoSchema,
  memoryLinkSchema,
  uuidSchema,
  wisdomSchema,
  workMemorySchema,
} from './schema.js';

export const EXPORT_VERSION = 1;

/** In the order of a file: what names others comes after them. */
export const KINDS = ['memory', 'link', 'chapter', 'wisdom'] as const;
export type ExportKind = (typeof KINDS)[number];

/** Where a record belongs, as exported. */
const placeShape = {
  id: uuidSchema,
  created_at: isoSchema,
  visibility: z.enum(VISIBILITIES).default('project'),
  entity_id: uuidSchema.nullable().default(null),
  room_id: uuidSchema.nullable().default(null),
  author_id: uuidSchema.optional(),
};

function lineOf<Kind extends string, Data extends z.ZodType>(kind: Kind, data: Data) {
  return z.looseObject({ kind: z.literal(kind), ...placeShape, data });
}

/** One record of an export: a line of JSONL, an element of its list in JSON. */
export const exportLineSchema = z.discriminatedUnion(
  'kind',
  [
    lineOf('memory', workMemorySchema),
    lineOf('link', memoryLinkSchema),
    lineOf('chapter', chapterSchema),
    lineOf('wisdom', wisdomSchema),
  ],
  {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${KINDS.join(', ')}` : undefined,
  },
);
export type ExportLine = z.output<typeof exportLineSchema>;

/** A damaged record that an export could not hold. */
export interface LeftOut {
  kind: ExportKind;
  id: Uuid;
  reason: string;
}

/** The last line of an export that is not whole; an import passes it over. */
export interface LeftOutLine {
  kind: 'left_out';
  records: LeftOut[];
}

const EXPECTED = `must be an export ({ "version": ${EXPORT_VERSION}, "memories": […] }), a list of records or JSON lines`;

const LISTS: Readonly<Record<ExportKind, string>> = {
  memory: 'memories',
  link: 'links',
  chapter: 'chapters',
  wisdom: 'wisdom',
};

/** Something to import, and where it stood: a line of the file, or a place in a list. */
export interface RawRecord {
  line: number;
  value: unknown;
  /** Set when the line is no JSON. */
  problem?: string;
}

export interface ExportDocument {
  version: number;
  exported_at: string;
  memories: ExportLine[];
  links: ExportLine[];
  chapters: ExportLine[];
  wisdom: ExportLine[];
  /** Only where something is. */
  left_out?: readonly LeftOut[];
}

/** The JSON document of an export. */
export function documentOf(
  lines: readonly ExportLine[],
  exportedAt: string,
  leftOut: readonly LeftOut[] = [],
): ExportDocument {
  const ofKind = (kind: ExportKind) => lines.filter((line) => line.kind === kind);
  return {
    version: EXPORT_VERSION,
    exported_at: exportedAt,
    memories: ofKind('memory'),
    links: ofKind('link'),
    chapters: ofKind('chapter'),
    wisdom: ofKind('wisdom'),
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
  };
}

/**
 * The records of a JSON document, a list, or the text of either or of JSONL. A memory without
 * `kind` and `data` is read as a draft of `store`.
 * @throws InvalidInputError when there is no record in it, AppError for a newer version
 */
export function rawRecords(content: unknown): RawRecord[] {
  if (typeof content === 'string') return fromText(content);
  if (Array.isArray(content)) return content.map((value, index) => ({ line: index + 1, value }));
  if (!isObject(content)) {
    throw wrongField('content', EXPECTED);
  }
  const { version } = content;
  if (typeof version === 'number' && version > EXPORT_VERSION) {
    throw new AppError('INVALID_INPUT', `exports of version ${version} are not known here`, {
      findings: [{ field: 'version', message: `must be at most ${EXPORT_VERSION}` }],
    });
  }
  const findings = [
    ...(version === undefined || version === EXPORT_VERSION
      ? []
      : [{ field: 'version', message: `must be ${EXPORT_VERSION}` }]),
    ...Object.values(LISTS).flatMap((field) =>
      content[field] === undefined || Array.isArray(content[field])
        ? []
        : [{ field, message: 'must be a list' }],
    ),
  ];
  if (findings.length > 0) throw new InvalidInputError(findings);
  let line = 0;
  const records = KINDS.flatMap((kind) => {
    const list = content[LISTS[kind]];
    if (!Array.isArray(list)) return [];
    return list.map((value: unknown) => {
      line += 1;
      const tagged = isObject(value) && 'data' in value ? { kind, ...value } : value;
      return { line, value: tagged };
    });
  });
  if (records.length > 0 || 'memories' in content) return records;
  throw wrongField('content', EXPECTED);
}

function fromText(written: string): RawRecord[] {
  // Editors of one system put a byte order mark first; it is no part of the JSON.
  const text = written.replace(/^\ufeff/, '');
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) {
    const list = parsedJson(trimmed);
    if (Array.isArray(list)) return rawRecords(list);
    throw wrongField('content', 'begins a list but is no JSON');
  }
  const whole = trimmed.startsWith('{') ? parsedJson(trimmed) : undefined;
  if (isObject(whole) && isDocument(whole)) return rawRecords(whole);
  return text.split('\n').flatMap((line, index): RawRecord[] => {
    if (line.trim() === '') return [];
    try {
      const value: unknown = JSON.parse(line);
      if (isObject(value) && value.kind === 'left_out') return [];
      return [{ line: index + 1, value }];
    } catch (error) {
      return [{ line: index + 1, value: null, problem: `is no JSON: ${messageOf(error)}` }];
    }
  });
}

/** Not a single record: it has what only a document has, or nothing at all. */
function isDocument(whole: Record<string, unknown>): boolean {
  if ('kind' in whole || 'intent' in whole) return false;
  const marks = ['version', ...Object.values(LISTS)];
  return Object.keys(whole).length === 0 || marks.some((mark) => mark in whole);
}
