/** Where one is: the part of the address after `#`, so that the page works below any path. */
import { useSyncExternalStore } from 'react';

export interface Place {
  /** The first word: a screen. */
  screen: string;
  /** The rest, e.g. an id. */
  rest: readonly string[];
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(
    (changed) => {
      addEventListener('hashchange', changed);
      return () => removeEventListener('hashchange', changed);
    },
    () => location.hash,
  );
  const [screen = '', ...rest] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  return { screen, rest };
}

export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

export function goTo(...parts: readonly string[]): void {
  location.hash = linkTo(...parts);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
