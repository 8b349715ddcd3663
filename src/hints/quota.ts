/** Limits of the store (seed §9): a variant counts as one hint, whoever may read it. */
import { AppError } from '../shared/errors.js';

export interface Quotas {
  maxHints: number;
  maxComponents: number;
  /** Hints of one component. */
  maxPerComponent: number;
}

export type QuotaName = 'hints' | 'components' | 'hints_per_component';

/** What is counted; an import counts what would be there. */
export interface Counted {
  readonly size: number;
  readonly componentCount: number;
  countOf(component: string): number;
}

export interface Exceeded {
  quota: QuotaName;
  max: number;
}

/** What one more hint of the component would exceed; `null`: there is room. */
export function exceeded(quotas: Quotas, counted: Counted, component: string): Exceeded | null {
  const here = counted.countOf(component);
  if (counted.size >= quotas.maxHints) return { quota: 'hints', max: quotas.maxHints };
  if (here >= quotas.maxPerComponent) {
    return { quota: 'hints_per_component', max: quotas.maxPerComponent };
  }
  if (here === 0 && counted.componentCount >= quotas.maxComponents) {
    return { quota: 'components', max: quotas.maxComponents };
  }
  return null;
}

const WORDS: Record<QuotaName, string> = {
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

/** Counts that change by what is planned, without anything happening yet. */
export interface Tally extends Counted {
  add(component: string): void;
  take(component: string): void;
}

export function tallyOf(hints: Iterable<{ component: string }>): Tally {
  const components = new Map<string, number>();
  let size = 0;
  const change = (component: string, by: number) => {
    const count = (components.get(component) ?? 0) + by;
    size += by;
    if (count > 0) components.set(component, count);
    else components.delete(component);
  };
  for (const { component } of hints) change(component, 1);
  return {
    get size() {
      return size;
    },
    get componentCount() {
      return components.size;
    },
    countOf: (component) => components.get(component) ?? 0,
    add: (component) => change(component, 1),
    take: (component) => change(component, -1),
  };
}
