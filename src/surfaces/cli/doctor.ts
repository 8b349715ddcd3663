/** `cue doctor`: what is there and what is not, a line each, with the command that mends it. */
import type { Command } from 'commander';
import { identityOf } from '../../server/client.js';
import { messageOf } from '../../shared/errors.js';
import { gitFolderAround } from '../../shared/git-folder.js';
import { isObject } from '../../shared/json.js';
import { addServerOptions, tell } from './answer.js';
import type { CommandContext } from './command-line.js';
import { thisProgram } from './install/command.js';
import { EXIT, errorDocument, type Io } from './io.js';
import { counted, oneLine } from './lines.js';
import { askStatus } from './status.js';
import { isFailed, type Status } from './status-text.js';

export const commands = { doctor: defineDoctor };

/** `none`: it is not there, and need not be. */
type State = 'ok' | 'wrong' | 'none';

interface Check {
  name: string;
  state: State;
  message: string;
  /** The command that mends it, or sets it up. */
  command?: string;
}

interface Diagnosis {
  ok: boolean;
  checks: Check[];
}

const SIGNS: Readonly<Record<State, string>> = { ok: '✓', wrong: '✗', none: '–' };

const EXPLAINED = `
  ✓ is well   ✗ is not, and below it the command that mends it   – is not there, and need not be

Exit codes:
  0 nothing is wrong   1 something is
`;

function defineDoctor(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .addHelpText('after', EXPLAINED)
    .action(async (_flags: object, command: Command) => {
      const served = await serverChecks(context, command);
      const checks = [...served, ...(await clientChecks(context.io))];
      const ok = checks.every(({ state }) => state !== 'wrong');
      await tell<Diagnosis>(
        context,
        command,
        { ok, checks },
        {
          text: (diagnosis) =>
            diagnosis.checks
              .flatMap(({ name, state, message, command: mends }) => [
                `${SIGNS[state]} ${name}: ${oneLine(message)}`,
                ...(mends === undefined ? [] : [`    ${mends}`]),
              ])
              .join('\n'),
          code: (diagnosis) => (diagnosis.ok ? EXIT.done : EXIT.failure),
        },
      );
    });
}

async function serverChecks(context: CommandContext, command: Command): Promise<Check[]> {
  try {
    const { status, port } = await askStatus(context, command);
    return [
      serverCheck(status, port),
      databaseCheck(status),
      modelCheck(status),
      embedderCheck(status),
    ];
  } catch (error) {
    const { code, message, details } = errorDocument(error).error;
    const mends = code === 'UNAVAILABLE' && details.met === 'nobody' ? 'nudge serve' : undefined;
    const [first] = Array.isArray(details.candidates) ? details.candidates : [];
    const chosen = isObject(first) ? `cue doctor -p ${first.port}` : undefined;
    const unknown = (name: string): Check => ({
      ...{ name, state: 'none', message: 'unknown, since no server of ours has answered' },
    });
    return [
      wrong('server', message, mends ?? chosen),
      ...['database', 'model', 'embedder'].map(unknown),
    ];
  }
}

function wrong(name: string, message: string, command?: string): Check {
  return { name, state: 'wrong', message, ...(command === undefined ? {} : { command }) };
}

function serverCheck({ server }: Status, port: number): Check {
  if (isFailed(server)) return wrong('server', server.error.message, `cue status -p ${port}`);
  const identity = identityOf(server);
  if (identity === null) {
    return wrong('server', `another program answers on port ${port}`, 'nudge serve');
  }
  const { kind, pid, agentName, agentId } = identity;
  const what = kind === 'eliza' ? 'Eliza server' : 'headless server';
  const message = `${what}, process ${pid}, port ${port}, agent ${agentName ?? agentId}`;
  return { name: 'server', state: 'ok', message };
}

function databaseCheck({ server, memory, triggers }: Status): Check {
  if (isFailed(memory)) return wrong('database', memory.error.message, 'cue status');
  if (isFailed(triggers)) return wrong('database', triggers.error.message, 'cue status');
  const identity = isFailed(server) ? null : identityOf(server);
  const where = identity?.database ?? 'a database server, or one that is not kept';
  const { memories, set_aside, catalog } = memory;
  if (set_aside > 0) {
    return wrong(
      'database',
      `${where}: ${counted(set_aside, 'memory', 'memories')} cannot be read`,
    );
  }
  const kept = `${counted(memories, 'memory', 'memories')}, index ${catalog.state}`;
  return { name: 'database', state: 'ok', message: `${where} (${kept})` };
}

function modelCheck({ server, autonomy }: Status): Check {
  if (isFailed(autonomy)) return wrong('model', autonomy.error.message, 'cue status');
  const { blocked, enabled } = autonomy;
  const isHeadless = !isFailed(server) && identityOf(server)?.kind === 'headless';
  if (isHeadless) {
    const message = 'a headless server has none and runs no triggers; an Eliza server does';
    return { name: 'model', state: 'none', message };
  }
  if (blocked !== null) return wrong('model', blocked);
  if (!enabled) {
    const message = 'it is there, and autonomy is switched off: no trigger runs';
    return { name: 'model', state: 'none', message, command: 'cue autonomy on' };
  }
  return { name: 'model', state: 'ok', message: 'triggers can run' };
}

function embedderCheck({ memory }: Status): Check {
  if (isFailed(memory)) return wrong('embedder', memory.error.message, 'cue status');
  const { serving, degraded } = memory.embeddings;
  if (degraded !== undefined) return wrong('embedder', `${serving.id} serves: ${degraded}`);
  return { name: 'embedder', state: 'ok', message: serving.id };
}

/** By what an installation would change. */
async function clientChecks(io: Io): Promise<Check[]> {
  const [{ CLIENTS, isUsed, placesOf, SCOPES }, { changesFor }] = await Promise.all([
    import('./install/clients.js'),
    import('./install/plan.js'),
  ]);
  const project = gitFolderAround(io.cwd)?.root ?? io.cwd;
  const machine = { platform: process.platform, env: io.env, project, cwd: io.cwd };
  const program = thisProgram();
  const checks: Check[] = [];
  for (const client of CLIENTS) {
    const names =
      client === 'claude-code' ? [`mcp (${client})`, `hooks (${client})`] : [`mcp (${client})`];
    if (!isUsed(client, machine)) {
      checks.push(
        ...names.map((name): Check => ({ name, state: 'none', message: 'not used here' })),
      );
      continue;
    }
    const install = (scope: string) => `cue mcp install --client ${client} --scope ${scope}`;
    for (const [at, name] of names.entries()) {
      let check: Check = {
        name,
        state: 'none',
        message: 'not set up',
        command: install('project'),
      };
      for (const scope of SCOPES) {
        if (placesOf(client, scope, machine) === null) continue;
        const planned = async (remove: boolean) => {
          const flags = { scope, hooks: true, ...(remove ? { remove: true as const } : {}) };
          return (await changesFor(client, flags, { io, machine, program })).changes[at];
        };
        try {
          const added = await planned(false);
          if (added === undefined) continue;
          if (added.kind === 'none') {
            check = { name, state: 'ok', message: added.shown };
            break;
          }
          if ((await planned(true))?.kind === 'none') continue;
          check = wrong(name, `${added.shown} is of another version or folder`, install(scope));
        } catch (error) {
          check = wrong(name, messageOf(error), `${install(scope)} --dry-run`);
        }
      }
      checks.push(check);
    }
  }
  return checks;
}
