import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isLoadingPaused, trackRequest } from "./in-flight.ts";
import type { PageReader, ReadPage } from "./all-pages.ts";

/** Position of a page: the cursor of the previous page, or an offset if the previous page was not read. */
type PageRequest =
  | { readonly limit: number; readonly cursor: string }
  | { readonly limit: number; readonly offset: number };

/** A list of the service whose pages are loaded on demand. */
export interface PagedList<Item> {
  /** Number of items in the whole list; null before the first page is loaded. */
  readonly total: number | null;
  /** Returns the item at an index; undefined if its page is not loaded. */
  readonly at: (index: number) => Item | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Requests the page of a displayed item, after a moment, unless it is loaded or already requested. */
  readonly ensureLoaded: (index: number) => void;
  readonly reload: () => void;
  /** Reads a page apart from the displayed ones, such as for a file of the whole list. */
  readonly read: PageReader<Item>;
}

const pageSize = 100;

/** Milliseconds that a page must stay in view before it is requested: a list that is flung requests only where it comes to rest. */
const dwellTime = 120;

/** Max pages in memory; the least recently loaded one is dropped first. */
const maxPages = 20;

/**
 * Loads a list page by page, only where it is displayed. Pages are read by cursor, so items that arrive meanwhile shift nothing. Nothing
 * of a list is returned beside the key of another one, so no effect can act on it.
 *
 * @param request reads one page. @param key identity of the list, such as its filters; a change discards all pages.
 * @param version a change reloads the same list, which stays visible meanwhile.
 */
export const usePagedList = <Item>(
  request: (paging: PageRequest, signal: AbortSignal) => Promise<ReadPage<Item>>,
  key: string,
  onError: (error: unknown) => void,
  version: unknown = null,
): PagedList<Item> => {
  const pages = useRef(new Map<number, readonly Item[]>());
  /** Pages from before the last reload, shown until their new version is loaded. */
  const stalePages = useRef(new Set<number>());
  const cursors = useRef(new Map<number, string>());
  const pendingPages = useRef(new Set<number>());
  /** Pages of the latest rendering, collected until its end. */
  const pagesInView = useRef({ pages: new Set<number>(), isComplete: true });
  const dwellTimer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const abort = useRef(new AbortController());
  const [total, error, loadingCount, renderCount] = [
    useSignal<number | null>(null),
    useSignal<unknown>(null),
    useSignal(0),
    useSignal(0),
  ];
  const latestRequest = useRef(request);
  latestRequest.current = request;

  const loadPage = async (page: number): Promise<void> => {
    const { signal } = abort.current;
    pendingPages.current.add(page);
    loadingCount.value += 1;
    try {
      const cursor = cursors.current.get(page);
      const paging = cursor === undefined ? { limit: pageSize, offset: page * pageSize } : { limit: pageSize, cursor };
      const reply = await trackRequest(latestRequest.current(paging, signal));
      if (signal.aborted) return;
      if (reply.next_cursor !== null) cursors.current.set(page + 1, reply.next_cursor);
      pages.current.delete(page);
      stalePages.current.delete(page);
      pages.current.set(page, reply.items);
      for (const oldest of pages.current.keys()) {
        if (pages.current.size <= maxPages) break;
        pages.current.delete(oldest);
      }
      [total.value, error.value] = [reply.total, null];
    } catch (thrown) {
      if (signal.aborted) return;
      onError(thrown);
      error.value = thrown;
    } finally {
      if (!signal.aborted) {
        pendingPages.current.delete(page);
        loadingCount.value -= 1;
        renderCount.value += 1;
      }
    }
  };

  const isDue = (page: number): boolean =>
    error.peek() === null &&
    !pendingPages.current.has(page) &&
    (!pages.current.has(page) || stalePages.current.has(page));
  /** Loads the pages that are in view now and after the dwell time. */
  const loadAfterDwell = (): void => {
    const before = pagesInView.current.pages;
    dwellTimer.current = setTimeout(() => {
      dwellTimer.current = null;
      const due = [...pagesInView.current.pages].filter(isDue);
      for (const page of due) if (before.has(page)) void loadPage(page);
      if (due.some((page) => !before.has(page))) loadAfterDwell();
    }, dwellTime);
  };
  const restart = (isSame: boolean): void => {
    abort.current.abort();
    abort.current = new AbortController();
    if (isSame) stalePages.current = new Set(pages.current.keys());
    else pages.current.clear();
    cursors.current.clear();
    pendingPages.current.clear();
    [loadingCount.value, error.value] = [0, null];
    void loadPage(0);
  };
  const loadedKey = useRef<string | null>(null);
  useEffect(() => {
    const isSame = loadedKey.current === key;
    loadedKey.current = key;
    if (!isSame) total.value = null;
    const end = (): void => {
      abort.current.abort();
      if (dwellTimer.current !== null) clearTimeout(dwellTimer.current);
      dwellTimer.current = null;
    };
    if (!isLoadingPaused.peek()) restart(isSame);
    const unsubscribe = isLoadingPaused.subscribe((isPaused) => isPaused && end());
    return () => {
      unsubscribe();
      end();
    };
  }, [key, version, isLoadingPaused.value]);

  // Reading the signal renders the component again after each page.
  void renderCount.value;
  const isCurrent = loadedKey.current === key;
  return {
    total: isCurrent ? total.value : null,
    at: (index) =>
      (loadedKey.current === key ? pages.current.get(Math.floor(index / pageSize)) : [])?.[index % pageSize],
    error: isCurrent ? error.value : null,
    isLoading: !isCurrent || loadingCount.value > 0,
    ensureLoaded: (index) => {
      const page = Math.floor(index / pageSize);
      if (pagesInView.current.isComplete) {
        pagesInView.current = { pages: new Set(), isComplete: false };
        queueMicrotask(() => (pagesInView.current.isComplete = true));
      }
      pagesInView.current.pages.add(page);
      if (dwellTimer.current === null && isDue(page)) loadAfterDwell();
    },
    reload: () => restart(true),
    read: ({ limit, cursor }, signal) =>
      latestRequest.current(cursor === undefined ? { limit, offset: 0 } : { limit, cursor }, signal),
  };
};

/** Collects the first items of an async iterable into an array. */
export const collect = async <Item>(list: AsyncIterable<Item>, maxItems = 500): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length === maxItems) break;
  }
  return items;
};
