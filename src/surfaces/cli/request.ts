/** A command that is one request to whoever serves, told as data: what it takes, what it asks, what it prints. */
import type { Command } from 'commander';
import type { RestRequest } from '../../server/client.js';
import { type Asked, addServerOptions, answer, type Printed } from './answer.js';
import { addFlags, type CommandContext, type DefineCommand } from './command-line.js';
import { type Flags, fieldsOf } from './flags.js';
import { answerList, type ListRequest } from './list.js';

/** What stands in a command line. */
export interface Said<Fields> {
  words: readonly string[];
  /** All of them in one, since a name may come without quotes: `cue trigger run check the news`. */
  id: string;
  /** Those that the flags fill. */
  fields: Fields;
}

export type Query = NonNullable<RestRequest['query']>;

/** A command as data, but for the request that is made of what was said. */
export interface RequestCommand<Body extends object, Fields = Query> {
  /** Absent: the command has it already. */
  about?: string;
  /** `<trigger>`, with what help says of it. */
  args?: Readonly<Record<string, string>>;
  flags?: Flags;
  /** What help says of `--json` where this command alone has it. */
  json?: string;
  /** At the end of its help. */
  after?: string;
  /** `null`: it has done and told all itself. */
  ask(
    said: Said<Fields>,
    context: CommandContext,
    command: Command,
  ): Answer<Body> | Promise<Answer<Body>>;
}
type Answer<Body> = (Asked<Body> & Printed<Body>) | ListRequest | null;

/** A command of a group, or one that stands alone. */
export function requestCommand<Body extends object, Fields = Query>(
  spec: RequestCommand<Body, Fields>,
): DefineCommand {
  const { about, args = {}, flags = [], json, after, ask } = spec;
  return (command, context) => {
    if (about !== undefined) command.description(about);
    for (const [name, words] of Object.entries(args)) command.argument(name, words);
    addFlags(command, flags);
    if (json !== undefined) command.option('--json', json);
    if (after !== undefined) command.addHelpText('after', after);
    command.action(async (...given: unknown[]) => {
      const own = given.pop() as Command;
      const fields = fieldsOf(flags, Object(given.pop())) as Fields;
      const words = given.flat().filter((word) => typeof word === 'string');
      const answered = await ask({ words, id: words.join(' '), fields }, context, own);
      if (answered === null) return;
      if ('table' in answered) return answerList(context, own, answered);
      await answer(context, own, answered);
    });
  };
}

/** The same, with the options of whoever asks a server. */
export function serverCommand<Body extends object, Fields = Query>(
  spec: RequestCommand<Body, Fields>,
): DefineCommand {
  return (command, context) => requestCommand(spec)(addServerOptions(command), context);
}

/** A group of commands that ask a server. @param usual the one that is meant where none is named */
export function serverGroup(
  after: string,
  commands: Readonly<Record<string, DefineCommand>>,
  usual?: string,
): DefineCommand {
  return (group, context) => {
    addServerOptions(group).addHelpText('after', after);
    for (const [name, define] of Object.entries(commands)) {
      define(group.command(name, { isDefault: name === usual }), context);
    }
  };
}
