/** What is looked for: words and filters. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { type Filters, NO_FILTERS, type Outcome } from './shapes.js';

/** The value, once it has been the same for so long. */
export function useLater<T>(value: T, ms: number): T {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}

/** `/` goes to the field from anywhere, unless one is typing or a dialog is open. */
export function SearchField({ value, change }: { value: string; change: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      const at = event.target;
      const isTyping =
        at instanceof HTMLElement && at.closest('input, textarea, select, [role="dialog"]');
      if (isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return (
    <search className="search">
      <input
        ref={field}
        type="search"
        aria-label="Search memories"
        aria-keyshortcuts="/"
        placeholder="Words, “last week”, file:auth.ts, mem_…"
        value={value}
        onChange={(event) => change(event.target.value)}
      />
      <span className="kbd" aria-hidden="true">
        /
      </span>
    </search>
  );
}

const OUTCOMES: Record<Outcome, string> = {
  all: 'Any outcome',
  success: 'Successful',
  failed: 'Failed',
};

/** `NO_FILTERS` itself when nothing is filtered. */
function cleaned(filters: Filters): Filters {
  const { outcome, isCaptured, tag, file } = filters;
  return outcome === 'all' && !isCaptured && tag === '' && file === '' ? NO_FILTERS : filters;
}

export function FilterBar({
  filters,
  change,
  children,
}: {
  filters: Filters;
  change: (filters: Filters) => void;
  children: ReactNode;
}) {
  const hint = useId();
  const set = (changed: Partial<Filters>): void => change(cleaned({ ...filters, ...changed }));
  return (
    <div className="filters inline">
      <select
        aria-label="Outcome"
        value={filters.outcome}
        onChange={(event) => set({ outcome: event.target.value as Outcome })}
      >
        {Object.entries(OUTCOMES).map(([outcome, name]) => (
          <option key={outcome} value={outcome}>
            {name}
          </option>
        ))}
      </select>
      <Later label="Tag" value={filters.tag} change={(tag) => set({ tag })} />
      <Later label="File" value={filters.file} change={(file) => set({ file })} />
      <label className="check">
        <input
          type="checkbox"
          aria-describedby={hint}
          checked={filters.isCaptured}
          onChange={(event) => set({ isCaptured: event.target.checked })}
        />
        Captured by itself
      </label>
      <span id={hint} className="unseen">
        Memories that nobody told: made from finished runs.
      </span>
      <span className="spacer" />
      {children}
    </div>
  );
}

/** A filter that is typed; it holds once one pauses. */
function Later({
  label,
  value,
  change,
}: {
  label: string;
  value: string;
  change: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    // Set from elsewhere, e.g. by a click on a tag.
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = typed.trim();
      if (wanted === value) return;
      setKnown(wanted);
      change(wanted);
    }, 300);
    return () => clearTimeout(timer);
  });
  return (
    <input
      className="narrow"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
