import { exchange } from "./caller.ts";
import { previousReplies } from "./fixture-files.ts";
import { headersOf, type Place } from "./people.ts";

/** Requests at a time: each sandbox beyond the first would have to load every handler again. */
const width = 2;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What answers the page of the previous version: without a window today's answers these lists whole, as arrays. */
const pagedPath = (path: string): string =>
  path === "/organizations" || path === "/me/invitations" ? `${path}?limit=50&offset=0` : path;

/** The first place at which something is not what was expected; null when all of it is there. Fields may have been added. */
const firstDifference = (actual: unknown, expected: unknown, path = "body"): string | null => {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (actual.length !== expected.length) return `${path}: ${actual.length} elements in place of ${expected.length}`;
    for (const [index, each] of expected.entries()) {
      const found = firstDifference(actual[index], each, `${path}[${index}]`);
      if (found !== null) return found;
    }
    return null;
  }
  if (isObject(expected) && isObject(actual)) {
    for (const [name, each] of Object.entries(expected)) {
      const found = firstDifference(actual[name], each, `${path}.${name}`);
      if (found !== null) return found;
    }
    return null;
  }
  if (Object.is(actual, expected)) return null;
  return `${path}: ${JSON.stringify(actual)?.slice(0, 200)} in place of ${JSON.stringify(expected)?.slice(0, 200)}`;
};

/**
 * Asks everything that could be read of the previous version.
 *
 * @param formOf a reply's body as it is compared: as it came when absent.
 * @returns how much was asked, and what is answered otherwise.
 */
export const replay = async (
  place: Place,
  formOf: (body: unknown) => unknown = (body) => body,
): Promise<{ readonly asked: number; readonly differences: readonly string[] }> => {
  const replies = previousReplies();
  const left = [...replies];
  const differences: string[] = [];
  const ask = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { as, path, status, body } = next;
      const headers = await headersOf(place, next);
      const reply = await exchange(place.stack.baseUrl, { method: "GET", path: pagedPath(path), headers });
      const difference = reply.status === status ? firstDifference(formOf(reply.body), body) : `status ${reply.status}`;
      if (difference !== null) differences.push(`${as} ${path}: ${difference}`);
    }
  };
  await Promise.all(Array.from({ length: width }, ask));
  return { asked: replies.length, differences };
};
