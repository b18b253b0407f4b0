import { createHash } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import type { Route } from "../contract/route.ts";
import type { SortOrder } from "../domain/list-order.ts";
import { byPosition, invalidCursor, type PageRequest, type Position } from "../domain/page.ts";
import { invalid } from "../domain/refusal.ts";
import { requestUrl } from "./event.ts";

/** Content of a cursor: name of its list, number of items before the page, and position of the last of these items. */
interface Cursor {
  readonly list: string;
  readonly offset: number;
  readonly after: Position;
}

/** Version of the cursor format. Cursors of another version are refused; the client restarts with the first page. */
const version = 1;

const cursorTuple = v.strictTuple([
  v.literal(version),
  v.string(),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  v.nullable(v.union([v.string(), v.pipe(v.number(), v.finite())])),
  v.string(),
]);

/** Returns a short hash that identifies a list: route, owner, path and filters. */
const listName = (parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 12);

const encodeCursor = ({ list, offset, after }: Cursor): string =>
  Buffer.from(JSON.stringify([version, list, offset, after.key, after.id])).toString("base64url");

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
};

/** Decodes a cursor. @throws Refusal `invalid` when the cursor is malformed or belongs to another list. */
const decodeCursor = (text: string, list: string): Omit<Cursor, "list"> => {
  const result = v.safeParse(cursorTuple, parseJson(text));
  if (!result.success) throw invalidCursor();
  const [, cursorList, offset, key, id] = result.output;
  if (cursorList !== list) throw invalidCursor();
  return { offset, after: { key, id } };
};

/** Reply of every list: a page with the total and the cursor of the next page. */
export interface PageReply<Item> {
  items: Item[];
  total: number;
  limit: number;
  offset: number;
  next_cursor: string | null;
}

/** Requested page of a list, with functions that build the reply. */
export interface Paging extends PageRequest {
  /** True if the request has `limit`, `offset` or `cursor`. */
  readonly isPaged: boolean;
  /** Returns the reply with the cursor of the next page. @param last position of the last item; null if the list ends with this page. */
  page<Item>(items: readonly Item[], total: number, last: Position | null): PageReply<Item>;
  /** Returns the same reply as `page`, or the bare array of items if the request has no paging parameters. */
  list<Item>(items: readonly Item[], total: number, last: Position | null): PageReply<Item> | Item[];
  /** Returns the cursor of the page after this number of items; null if the list ends there. */
  cursorAfter(items: number, last: Position | null): string | null;
}

/** Query parameters of paging. */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
}

const defaultLimit = 50;
/** Maximum number of items in a list requested without paging parameters, so that it fits a reply. */
const maxUnpaged = 10_000;
const pageParameters: ReadonlySet<string> = new Set(["limit", "offset", "cursor"]);

/** Returns the query parameters other than paging, sorted by name. */
const nonPageParameters = ({ multiValueQueryStringParameters: parameters }: APIGatewayProxyEvent) =>
  Object.entries(parameters ?? {})
    .filter(([name]) => !pageParameters.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/**
 * Parses the requested page of a list from the query.
 *
 * @param owner ids of the caller; a cursor is valid only for the same route, caller and filters.
 * @throws Refusal `invalid` when the cursor belongs to another list, or is combined with an offset other than 0.
 */
export const pagingOf = (route: Route, event: APIGatewayProxyEvent, owner: unknown, query: PageQuery): Paging => {
  const { cursor } = query;
  const isPaged = query.limit !== undefined || query.offset !== undefined || cursor !== undefined;
  const limit = query.limit ?? (isPaged ? defaultLimit : maxUnpaged);
  const list = (): string => listName([route.id, owner, event.pathParameters, nonPageParameters(event)]);
  // Generated clients send every default value, and so an offset of 0 together with a cursor.
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
    isPaged,
    cursorAfter,
    page,
    list: (items, total, last) => (isPaged ? page(items, total, last) : [...items]),
  };
};

/** Returns the requested page of a complete, sorted array. @param order sort order of the array. */
export const pagedReply = <Item>(
  paging: Paging,
  items: readonly Item[],
  positionOf: (item: Item) => Position,
  order: SortOrder = "desc",
): PageReply<Item> => {
  const { limit, offset, after } = paging;
  const compare = byPosition(order);
  const remaining = after === null ? items.slice(offset) : items.filter((item) => compare(positionOf(item), after) > 0);
  const pageItems = remaining.slice(0, limit);
  const end = remaining.length > limit ? pageItems.at(-1) : undefined;
  return paging.page(pageItems, items.length, end === undefined ? null : positionOf(end));
};

/** Returns the requested page of a complete array in any order, sorted as its cursors are: by key, then by id. */
export const sortedReply = <Item>(
  paging: Paging,
  items: readonly Item[],
  positionOf: (item: Item) => Position,
  order: SortOrder = "desc",
): PageReply<Item> => {
  const compare = byPosition(order);
  const sorted = items.toSorted((a, b) => compare(positionOf(a), positionOf(b)));
  return pagedReply(paging, sorted, positionOf, order);
};

/** Returns the `Link` header with the URL of the next page. */
export const nextLink = (event: APIGatewayProxyEvent, cursor: string): Record<string, string> => {
  const parameters = Object.entries(event.multiValueQueryStringParameters ?? {});
  const otherParameters = parameters.filter(([name]) => name !== "cursor" && name !== "offset");
  const pairs = otherParameters.flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  const query = new URLSearchParams([...pairs, ["cursor", cursor]]);
  return { Link: `<${requestUrl(event)}?${String(query)}>; rel="next"` };
};
