/** The small parts that every screen is made of. */
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { ApiError } from '../api.js';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'quiet';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'main' | 'plain' | 'danger' | 'ghost';
}

export function Button({ look = 'plain', className = '', ...rest }: ButtonProps) {
  return <button type="button" className={`button ${look} ${className}`} {...rest} />;
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

/** What went wrong, and the way to ask again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div className="failure" role="alert">
      <p>{messageOf(error)}</p>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.findings.length > 0) {
    return error.findings
      .map(({ field, message }) => (field.startsWith('(') ? message : `${field} ${message}`))
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

/** What a query gives, or why it does not. */
export function Loaded<T>({
  query,
  lines,
  children,
}: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading {...(lines === undefined ? {} : { lines })} />;
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
