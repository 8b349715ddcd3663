/** Whether whoever serves is the agent that a client names: another one's memory is no substitute. */
import { SECOND_MS } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { isUuid } from '../../shared/uuid.js';
import { askWho, type Identity, identityOf } from './identify.js';
import type { FoundServer } from './look-around.js';
import type { Env } from './place.js';
import { createRpcClient } from './rpc-client.js';
import type { ServerAddress } from './types.js';

const ANSWER_MS = 5 * SECOND_MS;

/**
 * For a command, which asks who is there only where the environment names somebody.
 * @throws AppError as `atMeantAgent` and the call itself do
 */
export async function meantAddress(
  address: ServerAddress,
  env: Env,
  answerMs = ANSWER_MS,
): Promise<ServerAddress> {
  if (!env.CUE_AGENT?.trim() && !env.CUE_PROJECT?.trim()) return address;
  const client = createRpcClient(address, { timeoutMs: answerMs });
  const identity = identityOf(await client.call('nudge.status', {}));
  // Of another program: the command's own call says so.
  if (identity === null) return address;
  const port = Number(new URL(address.baseUrl).port);
  return (await atMeantAgent({ address, port, identity }, env, answerMs)).address;
}

/**
 * The same server at the agent that the environment names: an Eliza server may have several, which are
 * told apart by id.
 * @throws AppError INVALID_INPUT when it has not that agent, or another project; UNAVAILABLE as `askWho`
 */
export async function atMeantAgent<Found extends FoundServer>(
  found: Found,
  env: Env,
  answerMs: number,
): Promise<Found> {
  const agent = env.CUE_AGENT?.trim();
  const meant = agent ? await atAgent(found, agent, answerMs) : found;
  const project = env.CUE_PROJECT?.trim();
  if (!project || meant.identity.project === project) return meant;
  const served = meant.identity.project;
  throw wrong(meant, 'CUE_PROJECT', project, served === null ? 'no named project' : `"${served}"`);
}

async function atAgent<Found extends FoundServer>(
  found: Found,
  agent: string,
  answerMs: number,
): Promise<Found> {
  const { agentId, agentName } = found.identity;
  if (isNamed(found.identity, agent)) return found;
  if (isUuid(agent)) {
    const address = { ...found.address, agentId: agent };
    const identity = await askWho(address, answerMs);
    if (identity && identity !== 'silent' && isNamed(identity, agent)) {
      return { ...found, address, identity };
    }
  }
  const shown = agentName === null ? agentId : `"${agentName}" (${agentId})`;
  throw wrong(found, 'CUE_AGENT', agent, shown);
}

function isNamed({ agentId, agentName }: Identity, agent: string): boolean {
  const asked = agent.toLowerCase();
  return agentId.toLowerCase() === asked || agentName?.toLowerCase() === asked;
}

function wrong(
  { port, identity }: FoundServer,
  setting: string,
  asked: string,
  served: string,
): AppError {
  const { pid, kind } = identity;
  const hint = setting === 'CUE_AGENT' && kind === 'eliza' ? ', by id where it has several' : '';
  const message =
    `${setting} is "${asked}", but the server (process ${pid}, port ${port}) serves ${served}: ` +
    `set ${setting} to what it serves${hint}, or leave it out`;
  return new AppError('INVALID_INPUT', message, { pid, port, setting });
}
