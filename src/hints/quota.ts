/**
 * Limits of the store (seed §9): a variant counts as one hint, whoever may read it. What people keep
 * for themselves has limits of its own, so that nobody uses up what all share.
 */
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';

export interface Quotas {
  /** Of all, private ones included. */
  maxHints: number;
  /** With hints that all share. */
  maxComponents: number;
  /** Of one component, that all share. */
  maxPerComponent: number;
}

export type QuotaName =
  | 'hints'
  | 'components'
  | 'hints_per_component'
  | 'private_hints'
  | 'hints_per_person'
  | 'hints_per_person_and_component';

/** Limits of what people keep for themselves, as shares of the others. */
export function privateQuotas({ maxHints, maxPerComponent }: Quotas): {
  /** Of all people together. */
  maxPrivate: number;
  maxPerPerson: number;
  /** One person's of one component. */
  maxPerPersonAndComponent: number;
} {
  return {
    maxPrivate: Math.ceil(maxHints / 2),
    maxPerPerson: Math.ceil(maxHints / 10),
    maxPerPersonAndComponent: Math.ceil(maxPerComponent / 4),
  };
}

/** Hints of one person, or (owner `null`) of the project. */
interface Owned {
  size: number;
  /** Hints by component; a component without any is not in it. */
  components: ReadonlyMap<string, number>;
}

/** What is counted; an import counts what would be there. */
export interface Counted {
  readonly size: number;
  of(owner: Uuid | null): Owned;
}

export interface Exceeded {
  quota: QuotaName;
  max: number;
}

/**
 * What one more hint of the component would exceed; `null`: there is room.
 * @param owner the person it is private to; `null`: it is the project's
 */
export function exceeded(
  quotas: Quotas,
  counted: Counted,
  component: string,
  owner: Uuid | null,
): Exceeded | null {
  const { maxHints, maxComponents, maxPerComponent } = quotas;
  const { size, components } = counted.of(owner);
  const here = components.get(component) ?? 0;
  if (counted.size >= maxHints) return { quota: 'hints', max: maxHints };
  if (owner === null) {
    if (here >= maxPerComponent) return { quota: 'hints_per_component', max: maxPerComponent };
    const isNew = here === 0 && components.size >= maxComponents;
    return isNew ? { quota: 'components', max: maxComponents } : null;
  }
  const { maxPrivate, maxPerPerson, maxPerPersonAndComponent } = privateQuotas(quotas);
  if (here >= maxPerPersonAndComponent) {
    return { quota: 'hints_per_person_and_component', max: maxPerPersonAndComponent };
  }
  if (size >= maxPerPerson) return { quota: 'hints_per_person', max: maxPerPerson };
  const allPrivate = counted.size - counted.of(null).size;
  return allPrivate >= maxPrivate ? { quota: 'private_hints', max: maxPrivate } : null;
}

const WORDS: Record<QuotaName, string> = {
  hints: 'hints in all',
  components: 'components',
  hints_per_component: 'hints of one component',
  private_hints: 'hints that people keep for themselves',
  hints_per_person: 'hints that one person keeps',
  hints_per_person_and_component: 'hints of one component that one person keeps',
};

export function quotaError({ quota, max }: Exceeded): AppError {
  return new AppError('LIMIT_REACHED', `there may be ${max} ${WORDS[quota]}: delete some first`, {
    quota,
    max,
  });
}

export interface Tally extends Counted {
  add(component: string, owner: Uuid | null): void;
  take(component: string, owner: Uuid | null): void;
}

const NONE: Owned = { size: 0, components: new Map() };

export function createTally(): Tally {
  const owners = new Map<Uuid | null, { size: number; components: Map<string, number> }>();
  let size = 0;
  const change = (component: string, owner: Uuid | null, by: number) => {
    const own = owners.get(owner) ?? { size: 0, components: new Map<string, number>() };
    const count = (own.components.get(component) ?? 0) + by;
    size += by;
    own.size += by;
    if (count > 0) own.components.set(component, count);
    else own.components.delete(component);
    if (own.size > 0) owners.set(owner, own);
    else owners.delete(owner);
  };
  return {
    get size() {
      return size;
    },
    of: (owner) => owners.get(owner) ?? NONE,
    add: (component, owner) => change(component, owner, 1),
    take: (component, owner) => change(component, owner, -1),
  };
}
