/** A variant of a hint, as questions and answers about it remember it: that one, and none of its name. */
import { z } from 'zod';
import { isUuid, type Uuid } from '../../shared/ids.js';

export const hintRefSchema = z.object({
  id: z.custom<Uuid>(isUuid),
  component: z.string(),
  key: z.string(),
});
export type HintRef = z.infer<typeof hintRefSchema>;

export function refOf({ id, component, key }: HintRef): HintRef {
  return { id, component, key };
}
