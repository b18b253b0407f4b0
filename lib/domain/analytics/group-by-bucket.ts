import { bucketOf, type Buckets, type Hour } from "./bucket.ts";
import type { Instant } from "../instant.ts";

/** A value that belongs to one hour, or to a part of it. */
interface HourPart {
  readonly hour: Hour;
}

/**
 * Merges two lists of hourly values into one stream by ascending hour.
 *
 * @param loadedParts values in any order.
 * @param streamedParts values by ascending hour.
 */
export const mergeByHour = async function* <Part extends HourPart>(
  loadedParts: readonly Part[],
  streamedParts: AsyncIterable<Part>,
): AsyncGenerator<Part> {
  const sortedParts = loadedParts.toSorted((a, b) => (a.hour < b.hour ? -1 : 1));
  let next = 0;
  for await (const part of streamedParts) {
    for (
      let candidate = sortedParts[next];
      candidate !== undefined && candidate.hour <= part.hour;
      candidate = sortedParts[next]
    ) {
      next += 1;
      yield candidate;
    }
    yield part;
  }
  yield* sortedParts.slice(next);
};

/** Groups hourly values, by ascending hour, into time buckets; empty buckets are left out. */
export const groupByBucket = async function* <Part extends HourPart>(
  parts: AsyncIterable<Part>,
  granularity: Buckets,
): AsyncGenerator<{ readonly bucket: Instant; readonly parts: readonly Part[] }> {
  let currentBucket: Instant = "";
  let group: Part[] = [];
  for await (const part of parts) {
    const bucket = bucketOf(part.hour, granularity);
    if (bucket !== currentBucket) {
      if (group.length > 0) yield { bucket: currentBucket, parts: group };
      [currentBucket, group] = [bucket, []];
    }
    group.push(part);
  }
  if (group.length > 0) yield { bucket: currentBucket, parts: group };
};
