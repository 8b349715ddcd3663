/** Who a client is, across its sessions (seed, Agent Identity Manager). */
import { z } from 'zod';
import { identityRequestSchema } from '../../../memory/index.js';
import { safe } from '../../../shared/safe-text.js';
import { memoryOf } from '../../services.js';
import type { ToolSpec } from '../types.js';
import { defineTool } from './define.js';

const words = z.string().optional();

const identity = defineTool({
  name: 'identity',
  group: 'memory',
  isDefault: true,
  title: 'Register or resume an identity',
  description:
    'Register once, so that what you write stays yours to change. cue mcp keeps who you are; over HTTP keep agent_id and resume_token, and resume. A subagent names its parent.',
  input: identityRequestSchema,
  advertised: z.object({
    action: z.enum(['register', 'resume', 'info']),
    name: words.describe('unique in the project'),
    type: z.enum(['main', 'subagent']).optional(),
    parent: words.describe('agent_id, for a subagent'),
    parent_token: words,
    agent_id: words,
    resume_token: words,
  }),
  output: z.object({ agent_id: z.string(), resume_token: words.describe('shown once') }),
  async run(input, { runtime, session }) {
    const known = await memoryOf(runtime).identity(input, session.caller());
    if (input.action !== 'info') session.identityId = known.agent_id;
    return known;
  },
  text({ agent_id, name, type, parent_id, resume_token }) {
    const named = name === null ? 'no name' : `"${safe(name)}"`;
    const under = parent_id === null ? '' : ` under ${parent_id}`;
    const keep = resume_token === undefined ? '' : `\nKeep resume_token: ${resume_token}`;
    return `${agent_id} (${named}, ${type}${under})${keep}`;
  },
});

export const identityTools: readonly ToolSpec[] = [identity];
