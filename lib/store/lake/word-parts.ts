import * as v from "valibot";
import { endOfDay, instantAt, type Instant } from "../../domain/instant.ts";

/** Schema of a part of the index of words, as manifests store it: of the traces of a day that start in a range. */
export const wordPart = v.object({
  /** Start of the range. */
  from: v.string(),
  /** End of the range, exclusive. */
  to: v.string(),
  /** Start of the keys of its files. */
  key: v.string(),
  /** Number of files, among which the words are spread. */
  shards: v.number(),
  rows: v.number(),
  bytes: v.number(),
});

/** A part of the index of words. */
export type WordPart = Readonly<v.InferOutput<typeof wordPart>>;

/** Returns where the parts of a day's index of words end so far. */
export const endOfParts = (day: string, parts: readonly WordPart[]): Instant =>
  parts.at(-1)?.to ?? `${day}T00:00:00+00:00`;

/** True if every trace of a day is in a part of the index. */
export const isIndexed = (day: string, parts: readonly WordPart[]): boolean =>
  endOfParts(day, parts) === instantAt(endOfDay(day));
