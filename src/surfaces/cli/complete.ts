/** What a word of a command line may become: what the completion of a shell asks for. */
import type { Command, Option } from 'commander';
import type { ComponentCount } from '../../hints/offline.js';
import type { MemoryView } from '../../memory/index.js';
import type { Offer } from '../../proactive/index.js';
import type { NamedRun, TriggerSummary } from '../../triggers/index.js';
import { forTerminal, type Io, ioFor } from './io.js';
import { oneLine, shortened } from './lines.js';
import { shortIds } from './table.js';
import { divided, lineOf, optionNamed, optionsOf } from './typed-words.js';

/** One that is printed in place of candidates: the shell knows what there is. */
export const FILES = ':files';
export const FOLDERS = ':folders';

interface Candidate {
  value: string;
  description?: string;
}

const MOST_DESCRIBED = 60;

/**
 * Prints what the last word may become, one a line, with a tab before what it is. Never throws; silent
 * where it cannot be known.
 * @param words behind the program's name, the last one as far as it is typed
 */
export async function complete(program: Command, words: readonly string[], io: Io): Promise<void> {
  const candidates = await candidatesFor(program, words, io).catch(() => []);
  for (const { value, description } of candidates) {
    const about = shortened(forTerminal(oneLine(description ?? '')), MOST_DESCRIBED);
    io.out(about === '' ? `${value}\n` : `${value}\t${about}\n`);
  }
}

async function candidatesFor(
  program: Command,
  words: readonly string[],
  io: Io,
): Promise<Candidate[]> {
  const last = words.at(-1) ?? '';
  const { command, count, expects, said } = lineOf(program, words.slice(0, -1));
  const world = ioFor(io, () => said.get('--data-dir'));
  const asking: Asking = { typed: last === '=' ? '' : last, io: world, port: said.get('--port') };
  if (expects !== undefined) return valuesOf(expects, asking);
  const [flag = '', value] = divided(last);
  if (value !== undefined) {
    const option = optionNamed(flag, command);
    const found = option ? await valuesOf(option, { ...asking, typed: value }) : [];
    return found.map((one) => ({ ...one, value: `${flag}=${one.value}` }));
  }
  const fits = ({ value }: Candidate) => value.startsWith(asking.typed);
  if (last.startsWith('-')) return flagsOf(command).filter(fits);
  const commands = count === 0 ? namesOf(command).filter(fits) : [];
  const found = [...commands, ...(await argumentsOf(command, count, asking))];
  return found.length === 0 && last === '' ? flagsOf(command) : found;
}

interface Asking {
  typed: string;
  io: Io;
  port: string | undefined;
}

function flagsOf(command: Command): Candidate[] {
  const flags = optionsOf(command).flatMap(({ short, long, description, hidden }) =>
    hidden || (long === '--version' && command.parent)
      ? []
      : [short, long].flatMap((value) => (value ? [{ value, description }] : [])),
  );
  return [...flags, { value: '--help', description: 'print this help' }];
}

function namesOf({ commands }: Command): Candidate[] {
  return commands
    .filter((one) => !one.name().startsWith('__'))
    .flatMap((one) =>
      [one.name(), ...one.aliases()].map((value) => ({ value, description: one.description() })),
    );
}

function valuesOf({ argChoices, flags, long }: Option, asking: Asking): Promise<Candidate[]> {
  const named = long === '--component' ? 'component' : /<([\w-]+)/.exec(flags)?.[1];
  return known(argChoices, named ?? '', asking);
}

async function argumentsOf(command: Command, count: number, asking: Asking): Promise<Candidate[]> {
  const all = command.registeredArguments;
  const last = all.at(-1);
  const argument = all[count] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return [];
  const name = argument.name();
  // A name of several words is one trigger; `cue when` has triggers of its own.
  if (name === 'trigger' && count > 0) return [];
  const isWhen = command.name() === 'when' && name === 'trigger';
  return known(argument.argChoices, isWhen ? 'phrase' : name, asking);
}

/** What is known of a value that is called so. */
async function known(
  choices: readonly string[] | undefined,
  name: string,
  asking: Asking,
): Promise<Candidate[]> {
  if (choices === undefined && (name === 'file' || name === 'path')) return [{ value: FILES }];
  if (choices === undefined && name === 'folder') return [{ value: FOLDERS }];
  const found = choices?.map((value) => ({ value })) ?? (await SERVED[name]?.(asking)) ?? [];
  return found.filter(({ value }) => value.startsWith(asking.typed));
}

/** Nobody waits longer for a completion. */
const TIMEOUT_MS = 1_000;
const MOST = 100;
/** Of what a shell reads without a thought: no quotes, nothing that it expands, no word breaks of bash. */
const HARMLESS = /^[\p{L}\p{N}][\p{L}\p{N} _.,+/-]*$/u;

/** Of rows with an id: as many digits of it as tell it from the others, and what it is. */
const rows =
  <Row>(path: string, field: string, idOf: (row: Row) => string, aboutOf: (row: Row) => string) =>
  async (asking: Asking): Promise<Candidate[]> => {
    const found = (await asked<Record<string, Row[]>>(asking, path, { limit: MOST }))[field] ?? [];
    const ids = shortIds(found.map(idOf));
    return found.map((row) => ({
      value: ids.get(idOf(row)) ?? idOf(row),
      description: aboutOf(row),
    }));
  };

const SERVED: Readonly<Record<string, (asking: Asking) => Promise<Candidate[]>>> = {
  async trigger(asking) {
    const query = { limit: MOST, order: 'soonest' };
    const { triggers } = await asked<{ triggers: TriggerSummary[] }>(asking, '/triggers', query);
    const ids = shortIds(triggers.map(({ id }) => id));
    return triggers.flatMap(({ id, displayName, scheduleText }) => {
      const short = { value: ids.get(id) ?? id, description: displayName };
      const named = HARMLESS.test(displayName)
        ? [{ value: displayName, description: scheduleText }]
        : [];
      // Both where something is typed: an id and its name begin in different ways.
      return asking.typed === '' ? [named[0] ?? short] : [short, ...named];
    });
  },
  run: rows<NamedRun>(
    '/runs',
    'runs',
    ({ triggerRunId }) => triggerRunId,
    ({ status, displayName }) => `${status}: ${displayName}`,
  ),
  offer: rows<Offer>(
    '/offers',
    'offers',
    ({ id }) => id,
    ({ kind, subject }) => `${kind}: ${subject}`,
  ),
  async memory(asking) {
    const query = { limit: MOST };
    const { memories } = await asked<{ memories: MemoryView[] }>(asking, '/memories', query);
    return memories.map(({ memory_id, intent }) => ({
      value: memory_id,
      description: intent.goal,
    }));
  },
  /** Of `cue recall`, which takes any words, too. */
  words: async (asking) =>
    asking.typed !== '' && 'mem_'.startsWith(asking.typed.slice(0, 'mem_'.length))
      ? ((await SERVED.memory?.(asking)) ?? [])
      : [],
  async component({ io, port }) {
    const { createRpcClient } = await server();
    const client = createRpcClient(await serverFor(io, port), { timeoutMs: TIMEOUT_MS });
    const { components } = Object(await client.call('nudge.list_components', {}));
    return (components as ComponentCount[])
      .filter(({ name }) => HARMLESS.test(name))
      .map(({ name, hint_count }) => ({ value: name, description: `hints: ${hint_count}` }));
  },
  /** Of the index of the project. */
  async phrase({ io }) {
    const [{ existingPathsOf }, { openIndex, whenRoom }] = await Promise.all([
      import('./when-commands/paths.js'),
      import('./when-commands/perform.js'),
    ]);
    const { library } = await openIndex(await whenRoom(), existingPathsOf({}, io));
    return library.entries
      .filter(({ phrase }) => HARMLESS.test(phrase))
      .map(({ phrase, header }) => ({ value: phrase, description: header }));
  },
};

/** Most words need none. */
const server = () => import('../../server/client.js');

async function asked<Body>(
  { io, port }: Asking,
  path: string,
  query: Record<string, string | number>,
): Promise<Body> {
  const { askRest } = await server();
  const address = await serverFor(io, port);
  return (await askRest(address, { path, query, timeoutMs: TIMEOUT_MS })) as Body;
}

/** Without waiting for one that is about to serve. */
async function serverFor(io: Io, port: string | undefined) {
  const { findServer, addressOfAgent } = await server();
  const wanted = { env: io.env, cwd: io.cwd, port: port === undefined ? undefined : Number(port) };
  return addressOfAgent(findServer(wanted), io.env, TIMEOUT_MS);
}
