/** `cue://hints/{component}`: what is known of one component, in the shape of an export (seed §5). */
import { NotFoundError } from '../../../shared/errors.js';
import { safeJson } from '../../../shared/safe-text.js';
import { hintsOf } from '../../services.js';
import type { ResourceSpec } from './types.js';

export const hintsResource: ResourceSpec = {
  uri: 'cue://hints/{component}',
  name: 'hints',
  title: 'Hints of a component',
  description: 'Every hint of a component, wherever it holds; secrets stay hidden.',
  mimeType: 'application/json',
  async read(component, { runtime, session }) {
    const { payload } = await hintsOf(runtime).export({ component }, session.caller());
    const known = payload.components[component.trim()];
    if (!known) throw new NotFoundError('component', component);
    return { text: safeJson(JSON.stringify({ component: component.trim(), ...known })) };
  },
  async complete(_begun, { runtime, session }) {
    const { components } = await hintsOf(runtime).listComponents({}, session.caller());
    return { values: components.map(({ name }) => name) };
  },
};
