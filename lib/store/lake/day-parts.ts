import * as v from "valibot";
import { endOfDay, instantAt, type Instant } from "../../domain/instant.ts";

/** Schema of a part of what a day's documents become, as manifests store it: of the traces that start in a range. */
export const dayPart = v.object({
  /** Start of the range. */
  from: v.string(),
  /** End of the range, exclusive. */
  to: v.string(),
  /** Start of the keys of its files. */
  key: v.string(),
  /** Number of files, among which words are spread; spans have one at most. */
  shards: v.number(),
  rows: v.number(),
  bytes: v.number(),
  /** SHA-256 of the file of spans, hexadecimal. */
  sha256: v.optional(v.string()),
});

/** A part of a day's index of words, or of its spans. */
export type DayPart = Readonly<v.InferOutput<typeof dayPart>>;

/** Returns where the parts of a day end so far. */
export const endOfParts = (day: string, parts: readonly DayPart[]): Instant =>
  parts.at(-1)?.to ?? `${day}T00:00:00+00:00`;

/** True if every trace of a day is in one of its parts. */
export const coversDay = (day: string, parts: readonly DayPart[]): boolean =>
  endOfParts(day, parts) === instantAt(endOfDay(day));
