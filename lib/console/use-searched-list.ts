import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { trackRequest } from "./in-flight.ts";
import type { PagedList } from "./use-paged-list.ts";

/** What was searched for a page. */
export interface SearchedPart {
  readonly documents: number;
  readonly skipped: number;
  readonly indexed_days: number;
}

/** Page of a search that reads as much as one request may, and goes on by its cursor. */
interface SearchedPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly next_cursor: string | null;
  readonly searched_to?: string | null | undefined;
  readonly searched?: SearchedPart | undefined;
}

/** The found items so far, and how far was searched. */
interface SearchState<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null;
  /** Start of the oldest searched item; null once all were searched. */
  readonly to: string | null;
  readonly documents: number;
  readonly skipped: number;
  /** True if an index of words has ruled out texts, which were not read. */
  readonly isIndexed: boolean;
}

/** A list of found items, to which each further request adds those of older ones. */
export interface SearchedList<Item> extends PagedList<Item> {
  /** How far was searched; null before the first reply. */
  readonly searched: Omit<SearchState<Item>, "items" | "cursor"> | null;
  readonly searchOlder: () => void;
}

const pageSize = 100;

/** Loads what a search finds. @param key identity of the search; null for none, which loads nothing. */
export const useSearchedList = <Item>(
  request: (
    paging: { readonly limit: number; readonly cursor?: string },
    signal: AbortSignal,
  ) => Promise<SearchedPage<Item>>,
  key: string | null,
  onError: (error: unknown) => void,
): SearchedList<Item> => {
  const state = useSignal<SearchState<Item> | null>(null);
  const [error, isLoading] = [useSignal<unknown>(null), useSignal(false)];
  const abort = useRef(new AbortController());
  const load = async (before: SearchState<Item> | null): Promise<void> => {
    const { signal } = abort.current;
    [isLoading.value, error.value] = [true, null];
    try {
      const cursor = before?.cursor ?? null;
      const page = await trackRequest(request({ limit: pageSize, ...(cursor !== null && { cursor }) }, signal));
      if (signal.aborted) return;
      state.value = {
        items: [...(before?.items ?? []), ...page.items],
        cursor: page.next_cursor,
        to: page.searched_to ?? null,
        documents: (before?.documents ?? 0) + (page.searched?.documents ?? 0),
        skipped: (before?.skipped ?? 0) + (page.searched?.skipped ?? 0),
        isIndexed: before?.isIndexed === true || (page.searched?.indexed_days ?? 0) > 0,
      };
    } catch (thrown) {
      if (signal.aborted) return;
      onError(thrown);
      error.value = thrown;
    } finally {
      if (!signal.aborted) isLoading.value = false;
    }
  };
  /** Searches from the newest item on; what was found stays visible until the reply. */
  const searchAgain = (): void => {
    abort.current.abort();
    abort.current = new AbortController();
    if (key !== null) void load(null);
  };
  useEffect(() => {
    state.value = null;
    searchAgain();
    return () => abort.current.abort();
  }, [key]);
  const { value } = state;
  return {
    total: value?.items.length ?? null,
    at: (index) => value?.items[index],
    error: error.value,
    isLoading: isLoading.value,
    ensureLoaded: () => undefined,
    read: request,
    // After a failure the search goes on where it has stopped.
    reload: () => (error.peek() === null ? searchAgain() : void load(state.peek())),
    searched: value,
    searchOlder: () => {
      if (!isLoading.peek() && state.peek()?.cursor != null) void load(state.peek());
    },
  };
};
