/** `nudge ls [component]` */
import type { ComponentCount, QueryResult } from '../../../hints/offline.js';
import { EXIT } from '../exit-codes.js';
import { printJson, printText } from '../io.js';
import { callServer } from './call.js';
import type { NudgeCommand, NudgeContext } from './command.js';
import { contextOf } from './context-flags.js';

/** All of a component: it has no more (seed §9), and a query answers no more. */
const LIMIT = 1_000;

export const ls: NudgeCommand = {
  define(command, context) {
    command
      .argument('[component]', 'its keys; without it, all components')
      .option('--json', 'print the result as JSON: of list_components, or of query')
      .action((component: string | undefined, { json = false }: { json?: boolean }) =>
        component === undefined
          ? listComponents(json, context)
          : listKeys(component, json, context),
      );
  },
};

/** Done also where there is none. */
async function listComponents(json: boolean, context: NudgeContext): Promise<void> {
  const { io, end } = context;
  const options = { field: 'components' } as const;
  const result = await callServer<{ components: ComponentCount[] }>(
    context,
    'list_components',
    {},
    options,
  );
  if (json) printJson(io, result);
  else {
    const { oneLine } = await import('./print-hint.js');
    const lines = result.components.map(
      ({ name, hint_count }) =>
        `${oneLine(name)}: ${hint_count} ${hint_count === 1 ? 'hint' : 'hints'}`,
    );
    if (lines.length > 0) printText(io, lines.join('\n'));
    else io.err('no hints yet: nudge set <component> <key> <value>\n');
  }
  end(EXIT.done);
}

/** Done: the component has keys, eligible here or not. */
async function listKeys(component: string, json: boolean, context: NudgeContext): Promise<void> {
  const { io, end } = context;
  const params = {
    component,
    context: await contextOf({}, io),
    limit: LIMIT,
    explain: 'all',
  };
  const result = await callServer<QueryResult>(context, 'query', params, { field: 'hints' });
  const { hints, others = [] } = result;
  if (json) printJson(io, result);
  else if (hints.length + others.length === 0) io.err(`nudge: no component "${component}"\n`);
  else {
    const { oneLine, valueInLine } = await import('./print-hint.js');
    const lines = [...hints, ...others]
      // Stable: of one key what is eligible comes first, best first.
      .toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
      .map(({ key, hint, match_explain: { matched, reasons } }) => {
        const why = matched ? '' : ` (not eligible here: ${oneLine(reasons.join('; '))})`;
        return `${oneLine(key)}: ${valueInLine(hint, key)}${why}`;
      });
    printText(io, lines.join('\n'));
  }
  end(hints.length + others.length === 0 ? EXIT.notFound : EXIT.done);
}
