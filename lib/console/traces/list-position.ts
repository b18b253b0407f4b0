import { signal } from "@preact/signals";
import type { TraceListItem } from "../../client/interface.ts";

/** Position of the opened trace in the list it was opened from, for the previous and next buttons. */
export interface ListPosition {
  /** Filters and sort order of the list, as JSON. */
  readonly key: string;
  readonly index: number;
  readonly total: number;
  /** Returns the trace at an index; undefined if it is not loaded. */
  readonly at: (index: number) => TraceListItem | undefined;
}

/** Position of the opened trace; null if no trace was opened from a list. */
export const listPosition = signal<ListPosition | null>(null);
