import type { RunInTurn } from "../../../lib/evaluation/slices/fair-share-turns.ts";

/** Runs a slice without fair-share turns, as if no other project were waiting. */
export const withoutFairShare: RunInTurn = (message, work) =>
  work({ message, isBorrowed: false, isOver: () => false, noteAnswers: () => undefined });
