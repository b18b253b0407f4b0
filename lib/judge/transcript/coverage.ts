/** How much of its material a score rests on. */
export interface Coverage {
  readonly shown_characters: number;
  /** Of the whole material, a text that is shown once and referred to counted once. */
  readonly total_characters: number;
  /** 0 to 1. */
  readonly ratio: number;
}

/** @param shown characters; never more than `total`. */
export const coverageOf = (shown: number, total: number): Coverage => ({
  shown_characters: shown,
  total_characters: total,
  ratio: total === 0 ? 1 : Math.floor((shown / total) * 10_000) / 10_000,
});
