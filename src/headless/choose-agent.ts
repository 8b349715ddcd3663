/** Which of the agents in a database a headless process serves: its memory is that agent's. */
import { AppError } from '../shared/errors.js';

export interface KnownAgent {
  id: string;
  name: string;
}

/** Of the agent that is made where there is none. */
const DEFAULT_NAME = 'Cue';

/**
 * @param wanted `CUE_AGENT`: a name or an id
 * @returns an agent of the database, or the name of the one to make
 * @throws AppError INVALID_INPUT when nobody is meant by it, or nobody said which of several is
 */
export function chooseAgent(
  known: readonly KnownAgent[],
  wanted: string | undefined,
): KnownAgent | { make: string } {
  const asked = wanted?.trim();
  if (known.length === 0) return { make: asked || DEFAULT_NAME };
  const meant = asked ? namedBy(known, asked) : known;
  const [only, ...others] = meant;
  if (only && others.length === 0) return only;
  const list = known.map(({ name, id }) => `${name} (${id})`).join(', ');
  const problem = asked
    ? `CUE_AGENT is "${asked}", which ${only ? 'several agents of this database are called' : 'no agent of this database is called'}`
    : 'there are several agents in this database';
  throw new AppError('INVALID_INPUT', `${problem}: set CUE_AGENT to one of ${list}`, {
    agents: known,
  });
}

/** An id, else the exact name, else the name in other letters. */
function namedBy(known: readonly KnownAgent[], asked: string): readonly KnownAgent[] {
  const lower = asked.toLowerCase();
  const ways: ((agent: KnownAgent) => boolean)[] = [
    ({ id }) => id.toLowerCase() === lower,
    ({ name }) => name === asked,
    ({ name }) => name.toLowerCase() === lower,
  ];
  for (const way of ways) {
    const found = known.filter(way);
    if (found.length > 0) return found;
  }
  return [];
}
