/** A variant of a hint, as questions and answers about it remember it. */
import { z } from 'zod';
import { hintScopeSchema } from '../../hints/index.js';

/** As `bump` and `delete` take it. */
export const hintRefSchema = z.object({
  component: z.string(),
  key: z.string(),
  /** Empty: the variant without one. */
  scope: hintScopeSchema,
});
export type HintRef = z.infer<typeof hintRefSchema>;

export function refOf(hint: {
  component: string;
  key: string;
  hint: { meta: { scope?: HintRef['scope'] | undefined } };
}): HintRef {
  return { component: hint.component, key: hint.key, scope: hint.hint.meta.scope ?? {} };
}
