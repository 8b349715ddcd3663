/** A summary rewritten by a model when the operator asked for it; the extract if that fails. */
import { messageOf } from '../shared/errors.js';
import type { MemoryContext } from './context.js';
import { cleaned } from './input.js';
import { LIMITS } from './schema.js';

export interface Summary {
  summary: string;
  summary_by: 'extractive' | 'model';
}

export async function summarized(
  { rewrite, log }: Pick<MemoryContext, 'rewrite' | 'log'>,
  extract: string,
): Promise<Summary> {
  if (!rewrite) return { summary: extract, summary_by: 'extractive' };
  try {
    const { value } = cleaned((await rewrite(extract)).trim());
    const written = typeof value === 'string' ? value : '';
    if (written === '' || Buffer.byteLength(written) > LIMITS.textBytes) {
      throw new Error('the model gave no usable summary');
    }
    return { summary: written, summary_by: 'model' };
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'summary not rewritten');
    return { summary: extract, summary_by: 'extractive' };
  }
}
