/** How much of its material a score rests on. */
export interface Coverage {
  readonly shown_characters: number;
  /** Of the whole material, a text that is shown once and referred to counted once. */
  readonly total_characters: number;
  /** 0 to 1. */
  readonly ratio: number;
  /** Of what was left out, what only repeats what is shown; absent where nothing does. */
  readonly repeated_characters?: number;
}

/** @param shown characters; never more than `total`. @param repeated characters of what was left out as repetition. */
export const coverageOf = (shown: number, total: number, repeated = 0): Coverage => ({
  shown_characters: shown,
  total_characters: total,
  ratio: total === 0 ? 1 : Math.floor((shown / total) * 10_000) / 10_000,
  ...(repeated > 0 && { repeated_characters: repeated }),
});

/** The share of the material that is shown or only repeats what is. */
export const knownShare = ({ shown_characters, total_characters, repeated_characters = 0 }: Coverage): number =>
  total_characters === 0 ? 1 : (shown_characters + repeated_characters) / total_characters;
