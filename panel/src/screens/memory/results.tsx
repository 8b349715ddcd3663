/** Memories in a list: those that were found by words, or all of them, newest first. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo } from 'react';
import type { MemoryView, RecallResult } from '../../../../src/index.js';
import { ApiError, ask } from '../../api.js';
import { count, counted } from '../../format.js';
import { Badge, Button, Empty, Failure, Loading, messageOf } from '../../parts/basics.js';
import { Confidence } from '../../parts/confidence.js';
import { List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../queries.js';
import { goTo, linkTo } from '../../route.js';
import {
  type Filters,
  filterBody,
  listQuery,
  NO_FILTERS,
  printedMemory,
  type Row,
  rowOf,
} from './shapes.js';

const idOf = ({ id }: Row): string => id;
const asItIs = (row: Row): Row => row;
/** The most that a recall is asked for. */
const FOUND = 50;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface Shown {
  filters: Filters;
  hidden: ReadonlySet<string>;
  forget: (row: Row) => void;
  /** Takes away words and filters. */
  all: () => void;
}

export function MemoryList({ words, ...shown }: Shown & { words: string }) {
  return words === '' ? <All {...shown} /> : <Found {...shown} words={words} />;
}

type FoundMemory = RecallResult['memories'][number];

const foundIdOf = ({ memory_id }: FoundMemory): string => memory_id;

function foundRow(memory: FoundMemory): Row {
  const { memory_id, content, success, created_at, confidence, why, origin } = memory;
  const { title, text } = printedMemory(content);
  return {
    ...{ id: memory_id, title, text, success, createdAt: created_at },
    ...{ isCaptured: origin === 'captured', tags: [], found: { confidence, why } },
  };
}

const WORDED = /^\w+:\s/;

function Found({ words, filters, all, ...shown }: Shown & { words: string }) {
  // Also what an offer prints: `file:auth.ts`, an id, a whole `recall("…")`. "task: fix it" is words.
  const asked = WORDED.test(words) ? { query: words } : { ref: words };
  const body = { ...asked, limit: FOUND, ...filterBody(filters) };
  const query = useQuery({
    queryKey: ['memories', '/recall', body],
    queryFn: ({ signal }) =>
      ask<RecallResult>('/recall', { body, query: { timezone: ZONE, counted: false }, signal }),
    placeholderData: keepPreviousData,
  });
  if (query.error instanceof ApiError && query.error.findings.length > 0) {
    // Whoever types a reference has not finished it, and asking again would change nothing.
    return (
      <p className="quiet list-head" role="status">
        {messageOf(query.error)}
      </p>
    );
  }
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading lines={6} />;
  const { memories, total_matches, degraded, stages } = query.data;
  const ms = stages.reduce((sum, stage) => sum + stage.ms, 0);
  return (
    <>
      <p className="quiet list-head" role="status">
        {memories.length === 0
          ? 'Nothing found'
          : `${counted(Math.max(memories.length, total_matches), 'memory', 'memories')} in ${Math.round(ms)} ms, surest first`}
        {degraded !== undefined && ` · ${degraded}`}
        {memories.some(({ origin }) => origin === 'captured') && <NoiseKey />}
      </p>
      {memories.length === 0 ? (
        <Empty title="Nothing is remembered about that.">
          <p>
            Try fewer words, a file (<code>file:auth.ts</code>) or a time (“last week”).
          </p>
          <Button onClick={all}>Show all memories</Button>
        </Empty>
      ) : (
        <Rows
          {...shown}
          items={memories}
          idOf={foundIdOf}
          rowOf={foundRow}
          isOld={query.isPlaceholderData}
        />
      )}
    </>
  );
}

function All({ filters, all, ...shown }: Shown) {
  const pages = usePages<Row, MemoryView>('memories', listQuery(filters), idOf, rowOf);
  if (pages.data === undefined) {
    if (pages.error) return <Failure error={pages.error} retry={() => void pages.refetch()} />;
    return <Loading lines={6} />;
  }
  // What is being forgotten stands in the list until the server has done it.
  const hiddenNow =
    shown.hidden.size === 0 ? 0 : pages.items.filter((one) => shown.hidden.has(idOf(one))).length;
  const total = pages.total - hiddenNow;
  if (pages.total === 0) return <NoMemories isFiltered={filters !== NO_FILTERS} all={all} />;
  return (
    <>
      <div className="quiet list-head" role="status">
        {counted(total, 'memory', 'memories')}, newest first
        {filters.isCaptured && <NoiseKey />}
      </div>
      {pages.error && <Failure error={pages.error} retry={() => void pages.fetchNextPage()} />}
      <Rows
        {...shown}
        items={pages.items}
        idOf={idOf}
        rowOf={asItIs}
        more={pages.more}
        look={pages.look}
        isOld={pages.isPlaceholderData}
      />
    </>
  );
}

function NoiseKey() {
  return (
    <>
      {' '}
      · <kbd>x</kbd> on a row that was captured forgets it as noise
    </>
  );
}

function NoMemories({ isFiltered, all }: { isFiltered: boolean; all: () => void }) {
  if (isFiltered) {
    return (
      <Empty title="No memory is like that.">
        <Button onClick={all}>Show all memories</Button>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is remembered yet.">
      <p>
        Say in the chat: “remember: the build needs Node 20”, or let an agent that works over MCP
        store what it has done.
      </p>
    </Empty>
  );
}

/** `rowOf` is asked for the rows in view only. */
function Rows<Item>({
  items,
  idOf,
  rowOf,
  hidden,
  forget,
  more,
  look,
  isOld,
}: Pick<Shown, 'hidden' | 'forget'> & {
  items: readonly Item[];
  idOf: (item: Item) => string;
  rowOf: (item: Item) => Row;
  more?: (() => void) | undefined;
  look?: (first: number, last: number) => void;
  isOld: boolean;
}) {
  const visible = useMemo(
    () => (hidden.size === 0 ? items : items.filter((item) => !hidden.has(idOf(item)))),
    [items, idOf, hidden],
  );
  const pressed = (item: Item, event: KeyboardEvent): void => {
    const row = rowOf(item);
    if (event.key === 'Enter') goTo('memory', row.id);
    if (!row.isCaptured || (event.key !== 'x' && event.key !== 'Delete')) return;
    event.preventDefault();
    const { dataset, parentElement } = event.currentTarget as HTMLElement;
    forget(row);
    // The next row takes its place.
    setTimeout(() =>
      parentElement?.querySelector<HTMLElement>(`[data-index="${dataset.index}"]`)?.focus(),
    );
  };
  return (
    <div className={isOld ? 'is-old' : ''} aria-busy={isOld}>
      <List
        label="Memories"
        items={visible}
        idOf={idOf}
        rowHeight={59}
        more={more}
        look={look}
        pressed={pressed}
      >
        {(item) => {
          const row = rowOf(item);
          return <MemoryRow row={row} forget={() => forget(row)} />;
        }}
      </List>
    </div>
  );
}

const SHOWN_TAGS = 3;

function MemoryRow({ row, forget }: { row: Row; forget: () => void }) {
  const { id, title, text, success, createdAt, isCaptured, tags, found } = row;
  return (
    <div className="memory-row">
      <Badge tone={success ? 'good' : 'bad'}>{success ? 'success' : 'failed'}</Badge>
      <div className="grow">
        <a className="clip" dir="auto" href={linkTo('memory', id)}>
          {title}
        </a>
        {text !== '' && (
          <p className="quiet clip" dir="auto">
            {text}
          </p>
        )}
        {found !== undefined && (
          <p className="why clip" dir="auto">
            {found.why}
          </p>
        )}
      </div>
      <div className="end quiet">
        {found !== undefined && <Confidence share={found.confidence} />}
        {found === undefined && (
          <span className="row-tags">
            {isCaptured && <Badge tone="info">captured</Badge>}
            {tags.slice(0, SHOWN_TAGS).map((tag) => (
              <span key={tag} className="tag clip" dir="auto">
                {tag}
              </span>
            ))}
            {tags.length > SHOWN_TAGS && `+${count(tags.length - SHOWN_TAGS)}`}
          </span>
        )}
        <Time at={createdAt} />
      </div>
      {isCaptured && (
        <Button
          look="ghost"
          className="small"
          aria-label={`Forget as noise: ${title}`}
          title="Forget as noise (x)"
          onClick={forget}
        >
          ✕
        </Button>
      )}
    </div>
  );
}
