import { type Instant, parseInstant } from "./instant.ts";
import { listOrder, type SortKey, type SortOrder } from "./list-order.ts";
import { byCodePoint } from "./text.ts";
import { invalid, type Refusal } from "./refusal.ts";

/** Position of an item in a sorted list: its sort key, and its id for items with equal keys. */
export interface Position {
  readonly key: SortKey;
  readonly id: string;
}

/** The requested page of a list. */
export interface PageRequest {
  readonly limit: number;
  /** Number of items before the page. */
  readonly offset: number;
  /**
   * Position of the last item of the previous page, from a cursor: items added or removed since do not shift the page.
   * Null without a cursor.
   */
  readonly after: Position | null;
}

/** Creates a request for the page after the first `offset` items, without a cursor. */
export const offsetPage = (limit: number, offset: number): PageRequest => ({ limit, offset, after: null });

/** A page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  readonly total: number;
  /** Position of the page's last item; null if the list ends with it. */
  readonly last: Position | null;
}

/** Returns the refusal of a cursor that does not fit the list. */
export const invalidCursor = (): Refusal =>
  invalid(
    ["query", "cursor"],
    "The cursor does not belong to this list: request the first page without a cursor",
    "cursor_invalid",
  );

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/u;

/**
 * Checks that the id in a cursor's position is a UUID.
 *
 * @throws Refusal `invalid` otherwise: the cursor was not issued by this service.
 */
export const uuidPosition = (position: Position): Position => {
  if (!uuidPattern.test(position.id)) throw invalidCursor();
  return position;
};

/** Checks that the sort key in a cursor's position is an instant. @throws Refusal `invalid` otherwise. */
export const instantPosition = ({ key, id }: Position): { readonly key: Instant; readonly id: string } => {
  if (typeof key !== "string" || parseInstant(key) !== key) throw invalidCursor();
  return { key, id };
};

/** Returns a comparator of positions by key, then by id. */
export const byPosition = (order: SortOrder): ((a: Position, b: Position) => number) =>
  listOrder(order, (a, b) => byCodePoint(a.id, b.id));

const newestFirst = byPosition("desc");

/** Reads a whole list, newest first, and returns one page with the total number of items. */
export const pageOf = async <Item>(
  listItems: AsyncIterable<Item>,
  { limit, offset, after }: PageRequest,
  positionOf: (item: Item) => Position,
): Promise<Page<Item>> => {
  const items: Item[] = [];
  let [total, isPastCursor, hasMore] = [0, false, false];
  for await (const item of listItems) {
    const isAtOrBeforeCursor = after !== null && newestFirst(positionOf(item), after) <= 0;
    // Once an item after the cursor was read, all later items are on the page, even if they are out of order.
    isPastCursor ||= after === null ? total >= offset : !isAtOrBeforeCursor;
    if (isPastCursor && items.length < limit) items.push(item);
    else if (isPastCursor) hasMore = true;
    total += 1;
  }
  const last = items.at(-1);
  return { items, total, last: hasMore && last !== undefined ? positionOf(last) : null };
};
