import type { ComponentChildren, RefObject } from "preact";
import type { Operations } from "../../client/interface.ts";
import type { FilterName } from "../traces/trace-filters.ts";
import type { SearchedPart } from "../use-searched-list.ts";

type TraceQuery = Operations["listTraces"]["query"];

/** Query of a list of any kind: filters, order and paging. A kind takes the parameters that its route has. */
export type ListQuery = Omit<TraceQuery, "sort_by" | "include"> & {
  readonly sort_by?: string | undefined;
  /** Part of a session's id. */
  readonly query?: string | undefined;
};

/** Column of a list. */
export interface Column<Item> {
  readonly title: string;
  /** Width as a track of a CSS grid. */
  readonly width: string;
  /** Width for the items that are loaded, in place of `width`. */
  readonly widthOf?: (items: readonly Item[]) => string;
  /** Width on a phone; absent for a column that a phone does not show. */
  readonly phoneWidth?: string | undefined;
  readonly class?: string;
  /** Sort column of the API; absent for a column that the API cannot sort by. */
  readonly sortBy?: string;
  /** True if the column is shown only when chosen. */
  readonly isExtra?: boolean;
  /** True if the title is for screen readers only. */
  readonly isUntitled?: boolean;
  readonly cell: (item: Item) => ComponentChildren;
  /** Tooltip of the cell. */
  readonly tooltip?: (item: Item) => string;
}

/** Values of one bar of the chart above a list. */
export interface BarValues {
  readonly total: number;
  /** Number of failed items; null if the API does not count them by time. */
  readonly failed: number | null;
  /** Duration in milliseconds, null without an ended item. */
  readonly duration: number | null;
}

/** Time range of the chart's bars; times are instants. */
export interface BarRequest {
  readonly granularity: "hour" | "day" | "week";
  readonly started_after: string;
  readonly started_before?: string;
}

/** Page of a list, as the API returns it. */
interface ItemPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly next_cursor: string | null;
  readonly searched_to?: string | null | undefined;
  readonly searched?: SearchedPart | undefined;
}

/** Position of an opened item in its list. */
interface OpenedAt<Item> {
  readonly key: string;
  readonly index: number;
  readonly total: number;
  readonly at: (index: number) => Item | undefined;
}

/** What a list page shows, filters by and sorts by: traces, sessions or users. */
export interface ListKind<Item> {
  /** Noun of an item: `trace`. */
  readonly noun: "trace" | "session" | "user";
  readonly columns: Readonly<Record<string, Column<Item>>>;
  /** Filters of the URL that the API applies to this list. */
  readonly filters: readonly FilterName[];
  /** Query parameter of the search field, and the field's label. */
  readonly search: {
    readonly parameter: "q" | "query" | "user_id";
    readonly label: string;
    /** Absent for a search while the user types; else finds the address that Enter opens in place of a search, null for none. */
    readonly onEnter?: (text: string) => Promise<string | null>;
  };
  /** Filter of the failed items: query parameter, value, and what it selects. */
  readonly failed: { readonly parameter: FilterName; readonly value: string; readonly meaning: string };
  /** Sort column of the API without `sort_by`, and the title of that order. */
  readonly defaultOrder: readonly [sortBy: string, title: string];
  /** Titles of descending orders, by sort column. */
  readonly orders: Readonly<Record<string, string>>;
  /** Returns the names of the scores that items can be sorted by; absent if the API cannot sort by score. */
  readonly scoreNames?: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly list: (query: ListQuery, signal: AbortSignal) => Promise<ItemPage<Item>>;
  /** Filters that the chart's bars and counts of traces apply; absent if they apply all. */
  readonly barFilters?: ReadonlySet<string>;
  /** Reads the bars of the chart, by start in epoch milliseconds. */
  readonly bars: (query: ListQuery, range: BarRequest, signal: AbortSignal) => Promise<ReadonlyMap<number, BarValues>>;
  /** Noun of what the bars count. */
  readonly barNoun: "trace" | "session";
  /** What the bars' `duration` is: `p90 duration`. */
  readonly durationTitle: string;
  readonly idOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  readonly hrefOf: (item: Item, query: Readonly<Record<string, string>>) => string;
  /** Called when an item is opened, with its position in the list. */
  readonly onOpen?: (position: OpenedAt<Item>) => void;
  /** Index of the item that was opened last from the list with this key; null if none was. */
  readonly lastIndex?: (key: string) => number | null;
  /** Targets of an evaluation of selected items; null for a list without selection. */
  readonly targets: "traces" | "sessions" | null;
}

/** Ref of the search field, which a shortcut focuses. */
export type SearchRef = RefObject<HTMLInputElement | null>;
