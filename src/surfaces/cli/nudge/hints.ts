/** `nudge get`, `query`, `ls`, `bump` and `delete`. */
import type { ComponentCount, DeleteResult, Hint, QueryResult } from '../../../hints/offline.js';
import type { Printed } from '../answer.js';
import { badInput, EXIT, type Io } from '../io.js';
import { counted } from '../lines.js';
import { requestCommand } from '../request.js';
import {
  CONTEXT_EXPLAINED,
  CONTEXT_FLAGS,
  type ContextFlags,
  contextOf,
  type SaidScope,
  SCOPE_FLAGS,
  scopeOf,
} from './context-flags.js';
import { GET_FLAGS, type GetFlags, performGet } from './get.js';

const print = () => import('./print-hint.js');

const NAMED = { '<component>': '', '<key>': '' };
const JSON_ABOUT = 'print the result as JSON';

const get = requestCommand<never, GetFlags>({
  ...{ args: NAMED, flags: GET_FLAGS, after: CONTEXT_EXPLAINED },
  async ask({ words: [component = '', key = ''], fields }, context) {
    context.end(await performGet({ component, key }, fields, context));
    return null;
  },
});

const query = requestCommand<QueryResult, { at?: ContextFlags; explain?: true }>({
  flags: [
    ['component', '--component <name>', 'of this component'],
    ['keys', '--keys <names>', 'with one of these keys; comma-separated', 'words'],
    ['tags', '--tags <words>', 'with all of these tags; comma-separated', 'words'],
    ['regex', '--regex <pattern>', 'on key, value and tags'],
    ...CONTEXT_FLAGS,
    ['limit', '--limit <number>', 'at most so many (10)', 'number'],
    ['explain', '--explain', 'also those that are not eligible, and why'],
  ],
  ...{ json: JSON_ABOUT, after: CONTEXT_EXPLAINED },
  ask: async ({ fields: { at = {}, explain, ...asked } }, { io }) => ({
    call: 'query',
    params: { ...asked, context: await contextOf(at, io), explain: explain && 'all' },
    ...{ field: 'hints', text: foundText },
    // Beside the JSON it says nothing: there the list is empty.
    beside: ({ hints }) => (hints.length === 0 ? ['nudge: no hint fits here'] : []),
    code: ({ hints }) => (hints.length === 0 ? EXIT.notFound : EXIT.done),
  }),
});

async function foundText({ hints, others = [] }: QueryResult): Promise<string> {
  const { hintName, indented, matchLines, otherLines, valueLines } = await print();
  const blocks = hints.map((one) => [
    hintName(one),
    ...indented([...valueLines(one.hint, one.key), ...matchLines(one.match_explain)]),
  ]);
  const more = otherLines(others, true);
  const all = more.length === 0 ? blocks : [...blocks, more];
  return all.map((lines) => lines.join('\n')).join('\n\n');
}

/** All of a component: it has no more (seed §9), and a query answers no more. */
const LIMIT = 1_000;

const ls = requestCommand<QueryResult & { components: ComponentCount[] }>({
  args: { '[component]': 'its keys; without it, all components' },
  json: 'print the result as JSON: of list_components, or of query',
  async ask({ words: [component] }, { io }) {
    if (component === undefined) {
      return { call: 'list_components', params: {}, field: 'components', ...COMPONENTS };
    }
    const context = await contextOf({}, io);
    const params = { component, context, limit: LIMIT, explain: 'all' };
    return { call: 'query', params, field: 'hints', ...keysOf(component) };
  },
});

/** Done also where there is none. */
const COMPONENTS: Printed<{ components: ComponentCount[] }> = {
  async text({ components }) {
    const { oneLine } = await print();
    const lines = components.map(
      (one) => `${oneLine(one.name)}: ${counted(one.hint_count, 'hint')}`,
    );
    return lines.join('\n');
  },
  beside: ({ components }) =>
    components.length === 0 ? ['no hints yet: nudge set <component> <key> <value>'] : [],
};

/** Done: the component has keys, eligible here or not. */
function keysOf(component: string): Printed<QueryResult> {
  const isNone = ({ hints, others = [] }: QueryResult) => hints.length + others.length === 0;
  return {
    async text({ hints, others = [] }) {
      const { oneLine, valueInLine } = await print();
      const lines = [...hints, ...others]
        // Stable: of one key what is eligible comes first, best first.
        .toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
        .map(({ key, hint, match_explain: { matched, reasons } }) => {
          const why = matched ? '' : ` (not eligible here: ${oneLine(reasons.join('; '))})`;
          return `${oneLine(key)}: ${valueInLine(hint, key)}${why}`;
        });
      return lines.join('\n');
    },
    beside: (result) => (isNone(result) ? [`nudge: no component "${component}"`] : []),
    code: (result) => (isNone(result) ? EXIT.notFound : EXIT.done),
  };
}

/** Which variants are meant: those of a place, or of a scope. */
interface Meant {
  at?: ContextFlags;
  scope?: SaidScope;
  delta?: number;
  here?: true;
}

/** @param here the place is meant where no scope is said */
async function variantsOf({ at, scope: said }: Meant, io: Io, here: boolean) {
  const scope = scopeOf(said);
  const isThere = at !== undefined || (here && scope === undefined);
  if (scope !== undefined && isThere) throw badInput('give a scope or a context, not both');
  return { scope, context: isThere ? await contextOf(at ?? {}, io) : undefined };
}

/** The variant that `get` gives here, or the one of the scope. */
const bump = requestCommand<{ hint: Hint }, Meant>({
  args: NAMED,
  flags: [
    ['delta', '--delta <number>', 'how often it has helped (1)', 'number'],
    ...SCOPE_FLAGS,
    ...CONTEXT_FLAGS,
  ],
  ...{ json: JSON_ABOUT, after: CONTEXT_EXPLAINED },
  ask: async ({ words: [component, key], fields }, { io }) => ({
    call: 'bump',
    params: { component, key, delta: fields.delta, ...(await variantsOf(fields, io, true)) },
    field: 'hint',
    text: async ({ hint }) => (await print()).useLine(hint, io.clock.now()),
  }),
});

const DELETE_EXPLAINED = `
All variants of the key go, but with --scope-… only the one that has exactly this scope, and with --here
or a context only those that are eligible there; what is left out of a context is inferred.
`;

const remove = requestCommand<DeleteResult, Meant>({
  args: NAMED,
  flags: [...SCOPE_FLAGS, ...CONTEXT_FLAGS, ['here', '--here', 'only what is eligible here']],
  ...{ json: JSON_ABOUT, after: DELETE_EXPLAINED },
  async ask({ words: [component = '', key = ''], fields }, { io }) {
    const { here, at = here && {} } = fields;
    const variants = await variantsOf({ ...fields, ...(at && { at }) }, io, false);
    return {
      ...{ call: 'delete_hint', params: { component, key, ...variants } },
      ...{ field: 'deleted', deletes: true },
      async text({ previous_all: gone }) {
        const { hintName, indented, valueLines } = await print();
        const [only] = gone;
        const what = gone.length === 1 && only ? `v${only.version}` : `${gone.length} variants`;
        const values = gone.flatMap((hint) => valueLines(hint, key));
        const head = `✔ deleted hint ${hintName({ component, key })} (${what})`;
        return [head, ...indented(values)].join('\n');
      },
    };
  },
});

export const commands = { get, query, ls, delete: remove, bump };
