/** The small parts that every screen is made of. */
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { ApiError } from '../api.js';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'quiet';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'main' | 'plain' | 'danger' | 'ghost';
}

export function Button({ look = 'plain', className = '', onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`button ${look} ${className}`}
      {...rest}
      onClick={(event) => {
        // The second click of a double click would fall on what the first one has moved here.
        if (event.detail > 1) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** A part of a screen with a heading of its own. */
export function Section({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  const id = `section-${title.toLowerCase().replace(/\W+/g, '-')}`;
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Says what to try where there is nothing yet. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** What the fields of a form are called on the page. */
export type Labels = Readonly<Record<string, string>>;

/** What went wrong, and the way to ask again. */
export function Failure({
  error,
  labels,
  retry,
}: {
  error: unknown;
  labels?: Labels;
  retry?: () => void;
}) {
  return (
    <div className="failure" role="alert">
      <p>{messageOf(error, labels)}</p>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export function messageOf(error: unknown, labels: Labels = {}): string {
  if (error instanceof ApiError && error.findings.length > 0) {
    return error.findings
      .map(({ field, message, text }) => {
        if (text !== undefined) return text;
        return field.startsWith('(') ? message : `${labels[field] ?? field} ${message}`;
      })
      .join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <span key={line} />
      ))}
    </div>
  );
}

export const isGone = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'NOT_FOUND';

/** What a query gives, or why it does not; what was deleted meanwhile is no longer shown. */
export function Loaded<T>({
  query,
  lines,
  children,
}: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (isGone(query.error)) {
    return (
      <Empty title="It is gone.">
        <p>It was deleted, or the address is wrong.</p>
      </Empty>
    );
  }
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading {...(lines === undefined ? {} : { lines })} />;
}

/** After whatever gives the focus back on closing. */
const LOST_MS = 50;

/** Gives the focus to the screen when nothing has it any more: Tab would begin at the top of the page. */
export function catchFocus(): void {
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    document.getElementById('content')?.focus({ preventScroll: true });
  }, LOST_MS);
}

/** Lines of a name and its value. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
