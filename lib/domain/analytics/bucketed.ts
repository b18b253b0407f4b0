import { bucketOf, type Granularity, type Hour } from "./bucket.ts";
import type { Instant } from "../instant.ts";

/** Figures of an hour, or of a part of it. */
interface OfHour {
  readonly hour: Hour;
}

/** Parts by their hour: those that are known before, and those that come ascending. */
export const ascending = async function* <Part extends OfHour>(
  known: readonly Part[],
  coming: AsyncIterable<Part>,
): AsyncGenerator<Part> {
  const before = known.toSorted((a, b) => (a.hour < b.hour ? -1 : 1));
  let next = 0;
  for await (const part of coming) {
    for (let one = before[next]; one !== undefined && one.hour <= part.hour; one = before[next]) {
      next += 1;
      yield one;
    }
    yield part;
  }
  yield* before.slice(next);
};

/** Ascending parts, put together by bucket; no bucket is without one. */
export const bucketed = async function* <Part extends OfHour>(
  parts: AsyncIterable<Part>,
  granularity: Granularity,
): AsyncGenerator<{ readonly bucket: Instant; readonly parts: readonly Part[] }> {
  let open: Instant = "";
  let held: Part[] = [];
  for await (const part of parts) {
    const bucket = bucketOf(part.hour, granularity);
    if (bucket !== open) {
      if (held.length > 0) yield { bucket: open, parts: held };
      [open, held] = [bucket, []];
    }
    held.push(part);
  }
  if (held.length > 0) yield { bucket: open, parts: held };
};
