/** What the screens read: cached, and made fresh by what the event stream tells. */
import {
  hashKey,
  type InfiniteData,
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { ApiError, type Ask, ask, type Query } from './api.js';

/** The first part of a key names what it is about, so that an event can refresh all of it. */
export type Subject =
  | 'runs'
  | 'triggers'
  | 'offers'
  | 'memories'
  | 'health'
  | 'when'
  | 'hints'
  | 'settings';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream says when something changes.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
    },
    mutations: { retry: false },
  },
});

/** One answer of a route. */
export function useAsk<T extends object>(
  subject: Subject,
  path: string,
  query?: Query,
  options: { enabled?: boolean; everyMs?: number; keep?: boolean } = {},
) {
  return useQuery({
    queryKey: [subject, path, query ?? {}],
    queryFn: ({ signal }) => ask<T>(path, { signal, ...(query === undefined ? {} : { query }) }),
    enabled: options.enabled ?? true,
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/** A page has its items under the name of what they are: `{ triggers, total, nextCursor }`. */
type Page<Name extends string, Item> = Record<Name, Item[]> & {
  total: number;
  nextCursor: string | null;
};
type Paged = 'triggers' | 'runs' | 'offers' | 'memories';

const PAGE = 100;
/** More than so many pages that have come in between are not looked through: the list begins anew. */
const MOST_READS = 5;

/** How a list of that key reads again what is looked at of it. */
const readersAgain = new Map<string, () => Promise<void>>();

/**
 * A list that is read page by page: `items` is what has come so far. When something changes, a short list is
 * read again; of a long one the pages that are looked at, and each other one when it is.
 *
 * @param kept what is kept of what came, where that is more than the rows show: all pages stay in memory
 */
export function usePages<Item, Sent = Item>(
  name: Paged,
  query: Query,
  idOf: (item: Item) => string,
  kept: (sent: Sent) => Item = (sent) => sent as unknown as Item,
) {
  type P = Page<Paged, Item>;
  type Pages = InfiniteData<P, string | null>;
  const queryKey = [name, `/${name}`, query, 'pages'];
  const hash = hashKey(queryKey);
  const read = async (cursor: string | null, signal?: AbortSignal): Promise<P> => {
    const page = await ask<Page<Paged, Sent>>(`/${name}`, {
      query: { ...query, limit: PAGE, ...(cursor === null ? {} : { cursor }) },
      ...(signal === undefined ? {} : { signal }),
    });
    const { total, nextCursor } = page;
    return { [name]: page[name].map(kept), total, nextCursor } as P;
  };
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    placeholderData: keepPreviousData,
  });
  const { data, fetchNextPage } = pages;
  const items = useMemo(() => data?.pages.flatMap((page) => page[name]) ?? [], [data, name]);
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);

  const looked = useRef({ first: 0, last: 0 });
  /** The pages that were read before the last change. */
  const old = useRef(new Set<number>());

  /** In its place, up to where the next page begins: what came or went moves no other page. */
  const readPageAgain = async (index: number): Promise<void> => {
    const before = queryClient.getQueryData<Pages>(queryKey);
    const page = before?.pages[index];
    if (before === undefined || page === undefined) return;
    const nextIds = new Set(before.pages[index + 1]?.[name].map(idOf));
    const found: Item[] = [];
    let last = await read(before.pageParams[index] ?? null);
    for (let reads = 1; ; reads += 1) {
      const end = last[name].findIndex((item) => nextIds.has(idOf(item)));
      found.push(...(end < 0 ? last[name] : last[name].slice(0, end)));
      const isWhole = end >= 0 || last.nextCursor === page.nextCursor || nextIds.size === 0;
      if (isWhole) break;
      if (last.nextCursor === null || reads === MOST_READS) {
        await queryClient.resetQueries({ queryKey });
        return;
      }
      last = await read(last.nextCursor);
    }
    const { total } = last;
    const nextCursor = nextIds.size === 0 ? last.nextCursor : page.nextCursor;
    queryClient.setQueryData<Pages>(queryKey, (now) => {
      if (now?.pages[index] !== page) return now;
      const pages = now.pages.map((one, at) =>
        at === index ? { ...one, [name]: found, nextCursor } : one,
      );
      return { ...now, pages: pages.map((one, at) => (at === 0 ? { ...one, total } : one)) };
    });
  };
  const readAgain = async (): Promise<void> => {
    let start = 0;
    const known = queryClient.getQueryData<Pages>(queryKey)?.pages ?? [];
    for (const [index, page] of known.entries()) {
      const isLookedAt =
        start <= looked.current.last && start + page[name].length > looked.current.first;
      start += page[name].length;
      if (!isLookedAt || !old.current.delete(index)) continue;
      // The next change, or the next look, tries again.
      await readPageAgain(index).catch(() => old.current.add(index));
    }
  };
  useEffect(() => {
    readersAgain.set(hash, async () => {
      const known = queryClient.getQueryData<Pages>(queryKey)?.pages ?? [];
      old.current = new Set(known.keys());
      await readAgain();
    });
    return () => void readersAgain.delete(hash);
  });

  return {
    ...pages,
    items,
    total: data?.pages[0]?.total ?? 0,
    /** For `List`: asks for the next page, where there is one and none is on its way. */
    more: pages.hasNextPage && !pages.isFetching ? more : undefined,
    /** For `List`: the first and the last item that is looked at. */
    look(first: number, last: number): void {
      looked.current = { first, last };
      if (old.current.size > 0) void readAgain();
    },
  };
}

/** A change, and what has to be read again after it. */
export function useChange<Input>(
  request: (input: Input) => { path: string } & Ask,
  subjects: readonly Subject[],
) {
  return useMutation<unknown, Error, Input>({
    mutationFn: (input) => {
      const { path, ...how } = request(input);
      return ask(path, { method: 'POST', ...how });
    },
    onSettled: () => refresh(subjects),
  });
}

/** Reading a longer list again would be a request for each of its pages. */
const MOST_PAGES_AGAIN = 5;

export async function refresh(subjects: readonly Subject[]): Promise<void> {
  await Promise.all(
    subjects.map(async (subject) => {
      const filters = { queryKey: [subject] };
      await queryClient.invalidateQueries({ ...filters, refetchType: 'none' });
      const long = queryClient
        .getQueryCache()
        .findAll({ ...filters, type: 'active', predicate: isLong })
        .map(({ queryHash }) => readersAgain.get(queryHash)?.());
      await Promise.all([
        ...long,
        queryClient.refetchQueries({
          ...filters,
          type: 'active',
          predicate: (query) => !isLong(query),
        }),
      ]);
    }),
  );
}

function isLong({ state: { data } }: { state: { data?: unknown } }): boolean {
  const { pages } = Object(data) as { pages?: unknown[] };
  return pages !== undefined && pages.length > MOST_PAGES_AGAIN;
}
