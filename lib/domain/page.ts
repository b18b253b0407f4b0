import { type Instant, parseInstant } from "./instant.ts";
import { listOrder, type SortKey, type SortOrder } from "./list-order.ts";
import { byCodePoint } from "./order.ts";
import { invalid, type Refusal } from "./refusal.ts";

/** An item's place in a list: what the list is ordered by, and what tells items apart that are alike in it. */
export interface Position {
  readonly key: SortKey;
  readonly id: string;
}

/** Which page of a list is asked for. */
export interface PageAt {
  readonly limit: number;
  /** Items before the page. */
  readonly offset: number;
  /** The last item before the page, whatever has come or gone since; null: `offset` alone says where it begins. */
  readonly after: Position | null;
}

/** The page that begins behind so many items. */
export const pageAt = (limit: number, offset: number): PageAt => ({ limit, offset, after: null });

/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  readonly total: number;
  /** The place of its last item; null when the list ends with it. */
  readonly last: Position | null;
}

/** The refusal of a position that no item of a list can have. */
export const noPosition = (): Refusal =>
  invalid(["query", "cursor"], "Cursor is not of this list: begin without one", "cursor_invalid");

const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/u;

/** A position whose id is a UUID. @throws Refusal `invalid` for another one: nothing of ours made it. */
export const uuidPosition = (position: Position): Position => {
  if (!uuidForm.test(position.id)) throw noPosition();
  return position;
};

/** A position among what is ordered by an instant. @throws Refusal `invalid` for another one. */
export const instantPosition = ({ key, id }: Position): { readonly key: Instant; readonly id: string } => {
  if (typeof key !== "string" || parseInstant(key) !== key) throw noPosition();
  return { key, id };
};

/** Positions in the order of a list. */
export const byPosition = (order: SortOrder): ((a: Position, b: Position) => number) =>
  listOrder(order, (a, b) => byCodePoint(a.id, b.id));

const newestFirst = byPosition("desc");

/** A page of a list that comes newest first and has to be read whole to be counted. */
export const pageOf = async <Item>(
  all: AsyncIterable<Item>,
  { limit, offset, after }: PageAt,
  positionOf: (item: Item) => Position,
): Promise<Page<Item>> => {
  const items: Item[] = [];
  let [total, isBehind, isMore] = [0, false, false];
  for await (const item of all) {
    const isPassed = after !== null && newestFirst(positionOf(item), after) <= 0;
    // What comes out of order at the end is behind every position.
    isBehind ||= after === null ? total >= offset : !isPassed;
    if (isBehind && items.length < limit) items.push(item);
    else if (isBehind) isMore = true;
    total += 1;
  }
  const last = items.at(-1);
  return { items, total, last: isMore && last !== undefined ? positionOf(last) : null };
};
