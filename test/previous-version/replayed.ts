import { exchange } from "./caller.ts";
import { previousReplies } from "./fixture-files.ts";
import type { RecordedReply } from "./recorded-reply.ts";
import { headersOf, type Place } from "./people.ts";

/** Number of concurrent requests; each additional sandbox would have to load every handler. */
const width = 2;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Description of the first difference from the expected value; null if all of it is present. Additional fields are
 * allowed.
 */
const firstDifference = (actual: unknown, expected: unknown, path = "body"): string | null => {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (actual.length !== expected.length) return `${path}: ${actual.length} elements in place of ${expected.length}`;
    for (const [index, each] of expected.entries()) {
      const difference = firstDifference(actual[index], each, `${path}[${index}]`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (isObject(expected) && isObject(actual)) {
    for (const [name, each] of Object.entries(expected)) {
      const difference = firstDifference(actual[name], each, `${path}.${name}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (Object.is(actual, expected)) return null;
  return `${path}: ${JSON.stringify(actual)?.slice(0, 200)} in place of ${JSON.stringify(expected)?.slice(0, 200)}`;
};

/** Result of repeated reads: their number, and the replies that differ from the recorded ones. */
interface Replay {
  readonly requestCount: number;
  readonly differences: readonly string[];
}

/** Repeats recorded reads. */
export const replay = async (place: Place, replies: readonly RecordedReply[]): Promise<Replay> => {
  const repliesLeft = [...replies];
  const differences: string[] = [];
  const ask = async (): Promise<void> => {
    for (let next = repliesLeft.shift(); next !== undefined; next = repliesLeft.shift()) {
      const { as, path, status, body } = next;
      const headers = await headersOf(place, next);
      const reply = await exchange(place.stack.baseUrl, { method: "GET", path, headers });
      const difference = reply.status === status ? firstDifference(reply.body, body) : `status ${reply.status}`;
      if (difference !== null) differences.push(`${as} ${path}: ${difference}`);
    }
  };
  await Promise.all(Array.from({ length: width }, ask));
  return { requestCount: replies.length, differences };
};

/** Repeats all recorded reads of the previous version. */
export const replayReads = (place: Place): Promise<Replay> => replay(place, previousReplies());
