import type { Instant } from "../../../domain/instant.ts";

/** The traces of a day that may have some words, by their starts. */
interface WordHits {
  /** Starts, newest first. */
  readonly instants: readonly Instant[];
  /** False if there are older ones in the range. */
  readonly isWhole: boolean;
}

/** A UTC day of a project, and the starts within it that are looked for, both inclusive; null for no bound. */
interface WordRange {
  readonly project: string;
  readonly day: string;
  readonly from: Instant | null;
  readonly to: Instant;
}

/** Finds where traces may have all of some words of the index, see `neededWords`; null for a day without an index up to the end of the range. */
export type WordIndex = (range: WordRange, words: readonly string[]) => Promise<WordHits | null>;
