import { createHash } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import type { Route } from "../contract/route.ts";
import type { SortOrder } from "../domain/list-order.ts";
import { byPosition, noPosition, type PageAt, type Position } from "../domain/page.ts";
import { invalid } from "../domain/refusal.ts";
import { addressOf } from "./service-url.ts";

/** What a cursor holds: the list that it is of, how many items came before, and the last of them. */
interface Cursor {
  readonly list: string;
  readonly offset: number;
  readonly after: Position;
}

/** Of this form; another one is refused, and whoever has it begins anew. */
const version = 1;

const stored = v.strictTuple([
  v.literal(version),
  v.string(),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  v.nullable(v.union([v.string(), v.pipe(v.number(), v.finite())])),
  v.string(),
]);

/** Names a list by all that says which one it is, in a few characters. */
const listName = (parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 12);

const encodeCursor = ({ list, offset, after }: Cursor): string =>
  Buffer.from(JSON.stringify([version, list, offset, after.key, after.id])).toString("base64url");

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
};

/** @throws Refusal `invalid` for a cursor of another list, and for what is none. */
const decodeCursor = (text: string, list: string): Omit<Cursor, "list"> => {
  const read = v.safeParse(stored, parsed(text));
  if (!read.success) throw noPosition();
  const [, of, offset, key, id] = read.output;
  if (of !== list) throw noPosition();
  return { offset, after: { key, id } };
};

/** A page of a list, as every list answers. */
export interface PageReply<Item> {
  items: Item[];
  total: number;
  limit: number;
  offset: number;
  next_cursor: string | null;
}

/** Which page of its list a request asks for. */
export interface Paging extends PageAt {
  /** Whether it says so itself. */
  readonly isAsked: boolean;
  /** The reply, with the cursor of the page behind it. @param last null when the list ends with the page. */
  page<Item>(items: readonly Item[], total: number, last: Position | null): PageReply<Item>;
  /** The same, or where no page is asked for the bare items. */
  list<Item>(items: readonly Item[], total: number, last: Position | null): PageReply<Item> | Item[];
  /** The cursor of the page behind so many items. */
  cursorAfter(items: number, last: Position | null): string | null;
}

/** The query parameters that say which page is asked for. */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
}

const usualLimit = 50;
/** Items of a list that is asked for as a whole: more would not fit a reply. */
const mostAtOnce = 10_000;
const pageParameters: ReadonlySet<string> = new Set(["limit", "offset", "cursor"]);

/** Everything of a query but which page is asked for, in one order. */
const othersOf = ({ multiValueQueryStringParameters: given }: APIGatewayProxyEvent) =>
  Object.entries(given ?? {})
    .filter(([name]) => !pageParameters.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/**
 * Reads which page of its list a request asks for.
 *
 * @param owner whose list it is: a cursor serves nobody else, nor another query.
 * @throws Refusal `invalid` for a cursor that is not of this list, and for one beside an offset.
 */
export const pagingOf = (route: Route, event: APIGatewayProxyEvent, owner: unknown, query: PageQuery): Paging => {
  const { cursor } = query;
  const isAsked = query.limit !== undefined || query.offset !== undefined || cursor !== undefined;
  const limit = query.limit ?? (isAsked ? usualLimit : mostAtOnce);
  const list = (): string => listName([route.id, owner, event.pathParameters, othersOf(event)]);
  // Generated clients send every default, and so an offset of 0, beside a cursor.
  if (cursor !== undefined && (query.offset ?? 0) !== 0)
    throw invalid(["query", "offset"], "Give a cursor or an offset, not both");
  const { offset, after } =
    cursor === undefined ? { offset: query.offset ?? 0, after: null } : decodeCursor(cursor, list());
  const cursorAfter: Paging["cursorAfter"] = (items, last) =>
    last === null ? null : encodeCursor({ list: list(), offset: offset + items, after: last });
  const page: Paging["page"] = (items, total, last) => ({
    items: [...items],
    total,
    limit,
    offset,
    next_cursor: cursorAfter(items.length, last),
  });
  return {
    limit,
    offset,
    after,
    isAsked,
    cursorAfter,
    page,
    list: (items, total, last) => (isAsked ? page(items, total, last) : [...items]),
  };
};

/** The page of a list that is there as a whole, the newest first. */
export const pagedReply = <Item>(
  paging: Paging,
  all: readonly Item[],
  positionOf: (item: Item) => Position,
  order: SortOrder = "desc",
): PageReply<Item> => {
  const { limit, offset, after } = paging;
  const compare = byPosition(order);
  const behind = after === null ? all.slice(offset) : all.filter((item) => compare(positionOf(item), after) > 0);
  const shown = behind.slice(0, limit);
  const end = behind.length > limit ? shown.at(-1) : undefined;
  return paging.page(shown, all.length, end === undefined ? null : positionOf(end));
};

/** The header that leads to the page behind one. */
export const nextLink = (event: APIGatewayProxyEvent, cursor: string): Record<string, string> => {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {});
  const kept = given.filter(([name]) => name !== "cursor" && name !== "offset");
  const pairs = kept.flatMap(([name, values]) => (values ?? []).map((value): [string, string] => [name, value]));
  const query = new URLSearchParams([...pairs, ["cursor", cursor]]);
  return { Link: `<${addressOf(event)}?${String(query)}>; rel="next"` };
};
