/** `cue://hints/{component}`: what is known of one component, in the shape of an export (seed §5). */

import { hintsOf } from '../../../operations/index.js';
import { NotFoundError } from '../../../shared/errors.js';
import { safeJson } from '../../../shared/safe-text.js';
import type { ResourceSpec } from './types.js';

export const hintsResource: ResourceSpec = {
  uri: 'cue://hints/{component}',
  name: 'hints',
  title: 'Hints of a component',
  description: 'Every hint of a component, wherever it holds; secrets stay hidden.',
  mimeType: 'application/json',
  async read(asked, { runtime, session }) {
    const { payload } = await hintsOf(runtime).export({ component: asked }, session.caller());
    // Under its name as the room has it, however it was asked for.
    const [found] = Object.entries(payload.components);
    if (!found) throw new NotFoundError('component', asked);
    const [component, known] = found;
    return { text: safeJson(JSON.stringify({ component, ...known })) };
  },
  async complete(_begun, { runtime, session }) {
    const { components } = await hintsOf(runtime).listComponents({}, session.caller());
    return { values: components.map(({ name }) => name) };
  },
};
