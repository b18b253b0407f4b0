import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isLoadingPaused } from "./in-flight.ts";
import { consoleUrl, initialHash } from "./entry-url.ts";

/** Decodes a path segment; returns it unchanged if it is malformed. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Parsed URL fragment, `#/traces/{id}?span=...`: page, filters and selection, so that every view can be linked. */
export interface Route {
  /** First path segment, such as `traces`. */
  readonly page: string;
  /** Decoded rest of the path, the id of a resource; null if absent. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

const parseHash = (hash: string): Route => {
  const [path = "", ...searches] = hash.replace(/^#\/?/u, "").split("?");
  const [page = "", ...segments] = path.split("/");
  const id = segments.join("/");
  return {
    page: page === "" ? "traces" : page,
    id: id === "" ? null : decode(id),
    query: Object.fromEntries(new URLSearchParams(searches.join("?"))),
  };
};

/** URL fragment of the displayed page, set by the `hashchange` event, shortly after `location.hash`. */
export const hash = signal(initialHash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
  isLoadingPaused.value = false;
});

/** Pages that need no project. */
export const pagesWithoutProject: ReadonlySet<string> = new Set(["settings", "cli-login"]);

/** Route of the displayed page. */
export const route = computed(() => parseHash(hash.value));

/** Returns the fragment of a page; empty and null query parameters are omitted. */
export const hrefTo = (
  page: string,
  id: string | null = null,
  query: Readonly<Record<string, string | null>> = {},
): string => {
  const params = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === null || value === "" ? [] : [[name, value]],
  );
  const search = new URLSearchParams(params).toString();
  return `#/${page}${id === null ? "" : `/${encodeURIComponent(id)}`}${search === "" ? "" : `?${search}`}`;
};

/** Opens a page with a new history entry. */
export const navigate = (href: string): void => {
  location.hash = href;
};

/**
 * Returns `navigate` for use after a request: it does nothing once the user has left the component that sent the request.
 *
 * @example
 * const navigate = useNavigate();
 * const create = () => perform(async () => navigate(hrefTo("runs", (await createRun()).id)));
 */
export const useNavigate = (): ((href: string) => void) => {
  const isDisplayed = useRef(true);
  useEffect(() => () => void (isDisplayed.current = false), []);
  return (href) => {
    if (isDisplayed.current) navigate(href);
  };
};

/**
 * Returns a function that deletes what the page shows and then opens another page. Until then no part of the page loads; after a failure
 * all load again.
 */
export const useDeletion = (): ((deletion: () => Promise<unknown>, href: string) => Promise<void>) => {
  const navigateIfDisplayed = useNavigate();
  return async (deletion, href) => {
    isLoadingPaused.value = true;
    try {
      await deletion();
      navigateIfDisplayed(href);
    } catch (error) {
      isLoadingPaused.value = false;
      throw error;
    }
  };
};

/** Returns the URL of the displayed page with its project, so that it opens in a tab of another project too. */
export const shareableUrl = (project: string): string => {
  const { page, id, query } = route.peek();
  return `${consoleUrl}${hrefTo(page, id, { ...query, project })}`;
};

/** Changes query parameters of the current page without a new history entry; null removes one. */
export const updateQuery = (changes: Readonly<Record<string, string | null>>): void => {
  const { page, id, query } = route.value;
  history.replaceState(null, "", hrefTo(page, id, { ...query, ...changes }));
  hash.value = location.hash;
};
