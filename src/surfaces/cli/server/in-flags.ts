/** What a server says of the fields of a request, in the flags that they came from. Pure. */
import type { Command } from 'commander';
import { RpcFailure } from '../../../server/client.js';
import { AppError, type Finding, isAppError } from '../../../shared/errors.js';

/** Fields whose flag is not their own name in kebab-case. */
export type FlagNames = Readonly<Record<string, string>>;

const INDEX = /\.\d+(?=\.|$)/g;
const IN_BACKTICKS = /`([\w.]+)`/g;

/** The same error; where findings are its message, in flags of the command. Its details stay the server's. */
export function inFlags(error: unknown, command: Command, others: FlagNames = {}): unknown {
  if (!isAppError(error)) return error;
  const { code, message, details } = error;
  const told = isFindings(details.findings) ? details.findings : [];
  if (message !== told.map(({ field, message }) => `${field}: ${message}`).join('; ')) return error;
  const flagOf = (field: string): string => {
    const name = field.replace(INDEX, '');
    return others[name] ?? longOf(command, name.split('.').at(-1) ?? '') ?? field;
  };
  const words = told.map(({ field, message }) => {
    const said = message.replace(IN_BACKTICKS, (_all, name: string) => flagOf(name));
    return field === '(body)' ? said : `${flagOf(field)}: ${said}`;
  });
  const text = words.join('; ');
  return error instanceof RpcFailure
    ? new RpcFailure(code, error.body, details, text)
    : new AppError(code, text, details, { cause: error });
}

function longOf(command: Command, field: string): string | undefined {
  const name = field.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  return command.options.find((one) => !one.negate && one.attributeName() === name)?.long;
}

function isFindings(found: unknown): found is Finding[] {
  return (
    Array.isArray(found) &&
    found.length > 0 &&
    found.every((one) => 'field' in Object(one) && 'message' in Object(one))
  );
}
