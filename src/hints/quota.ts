/** Limits of the store (seed §9). A variant counts as one hint, whoever may read it. */
import { AppError } from '../shared/errors.js';

export interface Quotas {
  maxHints: number;
  maxComponents: number;
  /** Of one component. */
  maxPerComponent: number;
}

export const DEFAULT_QUOTAS: Quotas = { maxHints: 5_000, maxComponents: 500, maxPerComponent: 200 };

/** What is counted, expired hints included; an import counts what would be stored. */
export interface Counted {
  readonly size: number;
  readonly componentCount: number;
  countOf(component: string): number;
}

interface Exceeded {
  quota: 'hints' | 'components' | 'hints_per_component';
  max: number;
}

/** What one more hint of the component would exceed; `null`: there is room. */
export function exceeded(quotas: Quotas, counted: Counted, component: string): Exceeded | null {
  const { maxHints, maxComponents, maxPerComponent } = quotas;
  const here = counted.countOf(component);
  if (counted.size >= maxHints) return { quota: 'hints', max: maxHints };
  if (here >= maxPerComponent) return { quota: 'hints_per_component', max: maxPerComponent };
  const isNew = here === 0 && counted.componentCount >= maxComponents;
  return isNew ? { quota: 'components', max: maxComponents } : null;
}

const WORDS: Record<Exceeded['quota'], string> = {
  hints: 'hints in all',
  components: 'components',
  hints_per_component: 'hints of one component',
};

export function quotaError({ quota, max }: Exceeded): AppError {
  return new AppError('LIMIT_REACHED', `there may be ${max} ${WORDS[quota]}: delete some first`, {
    quota,
    max,
  });
}
