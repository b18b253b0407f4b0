/** The part of a trace that a judge was shown. */
export interface Coverage {
  /** Characters in the transcript. */
  readonly shown_characters: number;
  /** Characters of the whole trace; a text that is shown once and then referred to counts once. */
  readonly total_characters: number;
  /** Share of the characters that is shown, 0 to 1. */
  readonly ratio: number;
  /** Omitted characters that only repeat shown ones; absent if there are none. */
  readonly repeated_characters?: number;
}

/**
 * Computes a coverage.
 *
 * @param shownCount shown characters, at most `total`.
 * @param repeated characters omitted as repetition.
 */
export const coverageOf = (shownCount: number, total: number, repeated = 0): Coverage => ({
  shown_characters: shownCount,
  total_characters: total,
  ratio: total === 0 ? 1 : Math.floor((shownCount / total) * 10_000) / 10_000,
  ...(repeated > 0 && { repeated_characters: repeated }),
});

/** Returns the share of a trace that is shown or only repeats shown text, 0 to 1. */
export const coveredShare = ({ shown_characters, total_characters, repeated_characters = 0 }: Coverage): number =>
  total_characters === 0 ? 1 : (shown_characters + repeated_characters) / total_characters;
