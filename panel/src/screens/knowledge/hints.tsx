/** Hints: small facts of components, with where they hold and until when. */
import { type KeyboardEvent, useMemo, useState } from 'react';
import { count, counted } from '../../format.js';
import { Badge, Button, Empty, Failure, Loading } from '../../parts/basics.js';
import { List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { actWithUndo, sayFailed } from '../../parts/toasts.js';
import { refresh } from '../../queries.js';
import { HintForm } from './hint-form.js';
import { callRpc, type StoredHint, scopeTexts, useHints, valueText } from './hint-store.js';

/** The name of a component stands above the first of its hints. */
type Row = { id: string } & ({ stored: StoredHint } | { component: string; hints: number });

const idOf = ({ id }: Row): string => id;

export function Hints() {
  const query = useHints();
  const [typed, setTyped] = useState('');
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [form, setForm] = useState<'new' | StoredHint | null>(null);
  const shown = useMemo(
    () => (query.data ?? []).filter((one) => !hidden.has(one.id) && fits(one, typed)),
    [query.data, hidden, typed],
  );
  const rows = useMemo(() => rowsOf(shown), [shown]);
  const remove = ({ id, component, key, hint }: StoredHint): void => {
    setHidden((now) => new Set(now).add(id));
    const reveal = () => setHidden((now) => new Set([...now].filter((one) => one !== id)));
    actWithUndo(
      `Deleted ${component}/${key}`,
      async () => {
        const named = { component, key, scope: hint.meta.scope ?? {} };
        await callRpc('delete_hint', named, { keepalive: true });
        await refresh(['hints']);
        reveal();
      },
      reveal,
    );
  };
  const bump = ({ component, key, hint }: StoredHint): void => {
    callRpc('bump', { component, key, scope: hint.meta.scope ?? {} }).then(
      () => refresh(['hints']),
      sayFailed,
    );
  };
  if (query.data === undefined) {
    if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
    return <Loading lines={6} />;
  }
  const components = new Set(shown.map(({ component }) => component)).size;
  return (
    <div className="hints-tab">
      <div className="filters inline">
        <input
          type="search"
          className="narrow wide"
          aria-label="Search hints"
          placeholder="Component, key, value, tag…"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className="quiet" role="status">
          {counted(shown.length, 'hint')} of {counted(components, 'component')}
        </span>
        <span className="spacer" />
        <Button look="main" onClick={() => setForm('new')}>
          New hint…
        </Button>
      </div>
      {shown.length === 0 ? (
        <NoHints isFiltered={typed !== ''} all={() => setTyped('')} />
      ) : (
        <List label="Hints" items={rows} idOf={idOf} rowHeight={86} pressed={pressed}>
          {(row) =>
            'stored' in row ? (
              <HintRow
                stored={row.stored}
                bump={() => bump(row.stored)}
                edit={() => setForm(row.stored)}
                remove={() => remove(row.stored)}
              />
            ) : (
              <h2 className="group-name">
                <span dir="auto">{row.component}</span>{' '}
                <span className="quiet">{count(row.hints)}</span>
              </h2>
            )
          }
        </List>
      )}
      {form !== null && (
        <HintForm hint={form === 'new' ? null : form} close={() => setForm(null)} />
      )}
    </div>
  );

  function pressed(row: Row, event: KeyboardEvent): void {
    if (!('stored' in row)) return;
    if (event.key === 'Delete') remove(row.stored);
    if (event.key === 'Enter') setForm(row.stored);
  }
}

function fits({ component, key, hint }: StoredHint, typed: string): boolean {
  const { tags = [], reason = '', scope } = hint.meta;
  const words = [component, key, valueText(hint.value), ...tags, reason, ...scopeTexts(scope)];
  const text = words.join(' ').toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function rowsOf(hints: readonly StoredHint[]): Row[] {
  const byComponent = new Map<string, StoredHint[]>();
  for (const one of hints) {
    byComponent.set(one.component, [...(byComponent.get(one.component) ?? []), one]);
  }
  return [...byComponent].flatMap(([component, own]): Row[] => [
    { id: JSON.stringify([component]), component, hints: own.length },
    ...own.map((stored) => ({ id: stored.id, stored })),
  ]);
}

function NoHints({ isFiltered, all }: { isFiltered: boolean; all: () => void }) {
  if (isFiltered) {
    return (
      <Empty title="No hint has these words.">
        <div className="actions centered">
          <Button onClick={all}>Show all hints</Button>
        </div>
      </Empty>
    );
  }
  return (
    <Empty title="There are no hints yet.">
      <p>
        A hint is a small fact of a component: how it is built, run or tested. Say in the chat: “set
        hint web/build = npm run build”, or make one here.
      </p>
    </Empty>
  );
}

function HintRow({
  stored,
  bump,
  edit,
  remove,
}: {
  stored: StoredHint;
  bump: () => void;
  edit: () => void;
  remove: () => void;
}) {
  const { component, key, hint } = stored;
  const { tags = [], reason, scope, sensitivity, priority } = hint.meta;
  const name = `${component}/${key}`;
  const scopes = scopeTexts(scope);
  return (
    <div className="hint-row">
      <div className="hint-key">
        <strong className="wrap-anywhere" dir="auto">
          {key}
        </strong>
        <span className="quiet small-text">
          {counted(hint.use_count ?? 0, 'use')}
          {hint.last_used_at !== undefined && (
            <>
              , last <Time at={hint.last_used_at} />
            </>
          )}
        </span>
      </div>
      <div className="hint-value">
        {sensitivity === 'secret' ? (
          <details>
            <summary>
              <Badge tone="warn">secret</Badge> Show
            </summary>
            <pre dir="auto">{valueText(hint.value)}</pre>
          </details>
        ) : (
          <pre dir="auto">{valueText(hint.value)}</pre>
        )}
        {reason !== undefined && (
          <p className="quiet small-text reason" dir="auto" title={reason}>
            {reason}
          </p>
        )}
        <ul className="chips">
          {typeof hint.value !== 'string' && <li className="tag">{hint.value.type}</li>}
          {scopes.length === 0 && <li className="tag">everywhere</li>}
          {scopes.map((text) => (
            <li key={text} className="tag scope" dir="auto" title={text}>
              {text}
            </li>
          ))}
          {tags.map((tag) => (
            <li key={tag} className="tag" dir="auto" title={tag}>
              #{tag}
            </li>
          ))}
          {priority !== undefined && <li className="tag">priority {priority}</li>}
          <li className="quiet small-text">
            <Ends stored={stored} />
          </li>
        </ul>
      </div>
      <div className="hint-actions">
        <Button
          className="small"
          title="Counts a use: it ranks higher"
          aria-label={`It worked: ${name}`}
          onClick={bump}
        >
          It worked
        </Button>
        <Button className="small" aria-label={`Edit ${name}`} onClick={edit}>
          Edit
        </Button>
        <Button className="small" aria-label={`Delete ${name}`} onClick={remove}>
          Delete
        </Button>
      </div>
    </div>
  );
}

function Ends({ stored: { hint, expires_at } }: { stored: StoredHint }) {
  if (expires_at === null) {
    const { ttl = 'session' } = hint.meta;
    return ttl.toLowerCase() === 'session' ? 'until the session ends' : 'for good';
  }
  return (
    <>
      expires <Time at={expires_at} />
    </>
  );
}
