/** What the screens read: cached, and made fresh by what the event stream tells. */
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
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
  const pages = useInfiniteQuery({
    queryKey: [subject, path, query, 'pages'],
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
  return {
    ...pages,
    items: pages.data?.pages.flatMap(itemsOf) ?? [],
    total: pages.data?.pages[0]?.total ?? 0,
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

export async function refresh(subjects: readonly Subject[]): Promise<void> {
  await Promise.all(
    subjects.map((subject) => queryClient.invalidateQueries({ queryKey: [subject] })),
  );
}
