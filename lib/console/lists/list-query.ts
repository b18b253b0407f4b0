import { parseFilters } from "../traces/trace-filters.ts";
import type { ListKind, ListQuery } from "./list-kind.ts";

type UrlQuery = Readonly<Record<string, string>>;

/** Order of a list, as query parameters of the API; empty for the default order. */
type Sorting = Pick<ListQuery, "sort_order" | "sort_metric"> & { readonly sort_by?: string };

/** Returns the order that the URL names; the default order if this list lacks it. */
export const sortingOf = (
  kind: Pick<ListKind<never>, "columns" | "orders" | "scoreNames">,
  query: UrlQuery,
): Sorting => {
  const { sort_by: by, sort_order: order, sort_metric: metric } = query;
  const direction = order === "asc" ? ({ sort_order: "asc" } as const) : {};
  if (by === "score" && metric !== undefined && kind.scoreNames !== undefined)
    return { sort_by: by, sort_metric: metric, ...direction };
  const isColumn = by !== undefined && Object.values(kind.columns).some(({ sortBy }) => sortBy === by);
  return isColumn || Object.hasOwn(kind.orders, by ?? "") ? { sort_by: by ?? "", ...direction } : {};
};

/** Returns the filters that the URL and the page set for a list. @param fixed filters of the page, which win. */
export const filtersOfList = (
  { filters, search: { parameter } }: Pick<ListKind<never>, "filters" | "search">,
  query: UrlQuery,
  fixed: UrlQuery = {},
): ListQuery => {
  const search = query[parameter];
  return { ...parseFilters(query, filters), ...(search === undefined ? {} : { [parameter]: search }), ...fixed };
};

/** Returns the names of scores in their summaries. */
export const namesOfScores = (summaries: readonly { readonly metric_name: string }[]): readonly string[] =>
  summaries.map(({ metric_name: name }) => name);
