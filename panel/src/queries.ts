/** What the screens read: cached, and made fresh by what the event stream tells. */
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
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

interface Page {
  total: number;
  nextCursor: string | null;
}

/** A list that is read page by page: `items` is what has come so far. */
export function usePages<P extends Page, Item>(
  subject: Subject,
  path: string,
  query: Query,
  itemsOf: (page: P) => readonly Item[],
  options: { enabled?: boolean } = {},
) {
  const queryKey = [subject, path, query, 'pages'];
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      ask<P>(path, {
        query: { limit: 100, ...query, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    enabled: options.enabled ?? true,
    placeholderData: keepPreviousData,
  });
  const items = useMemo(() => pages.data?.pages.flatMap(itemsOf) ?? [], [pages.data, itemsOf]);
  const { fetchNextPage } = pages;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    ...pages,
    items,
    total: pages.data?.pages[0]?.total ?? 0,
    /** For `List`: asks for the next page, where there is one and none is on its way. */
    more: pages.hasNextPage && !pages.isFetching ? more : undefined,
    /** Something has changed since, and the list is too long to be read again unasked. */
    isOld: pages.isStale && !pages.isFetching && items.length > 0,
    /** Reads the list again, from its beginning. */
    again: () => queryClient.resetQueries({ queryKey }),
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
      await queryClient.refetchQueries({
        ...filters,
        type: 'active',
        predicate: ({ state: { data } }) =>
          (Object(data) as { pages?: unknown[] }).pages === undefined ||
          (data as { pages: unknown[] }).pages.length <= MOST_PAGES_AGAIN,
      });
    }),
  );
}
