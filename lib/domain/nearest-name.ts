/** Levenshtein distance: the number of letters to change, insert or remove. */
const distance = (from: string, to: string): number => {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of from.split("").entries()) {
    const current = [row + 1];
    for (const [column, targetLetter] of to.split("").entries()) {
      const substitution = (above[column] ?? 0) + (letter === targetLetter ? 0 : 1);
      current.push(Math.min(substitution, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
};

/** Drops case, hyphens, underscores and spaces: these are differences of spelling, not of meaning. */
const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");

/**
 * Returns the candidate name closest to a misspelled one; null if none is close. Used for "did you mean".
 *
 * @example
 * nearestName("datefrom", ["date_from", "date_to"]); // "date_from"
 */
export const nearestName = (input: string, candidates: readonly string[]): string | null => {
  const normalizedInput = normalizeName(input).slice(0, 100);
  const best = candidates
    .map((name) => ({ name, edits: distance(normalizedInput, normalizeName(name)) }))
    .reduce<{ name: string; edits: number } | null>(
      (closest, candidate) => (closest === null || candidate.edits < closest.edits ? candidate : closest),
      null,
    );
  return best !== null && best.edits <= Math.max(1, Math.floor(normalizeName(best.name).length / 3)) ? best.name : null;
};

/** Returns the end of a text about an unknown name: the nearest one of some names; empty if none is near. */
export const nearestNote = (name: string, names: readonly string[]): string => {
  const near = nearestName(name, names);
  return near === null || near === name ? "" : ` Did you mean "${near}"?`;
};

/** Maximum number of names that an advice lists. */
const maxNames = 50;

/** Returns the advice on a misspelled name, the end of a sentence: the nearest known name, or else the known ones. */
export const nameAdvice = (name: string, names: readonly string[]): string => {
  const near = nearestName(name, names);
  if (near !== null) return `; did you mean ${near}?`;
  return `; ${names.length === 0 ? "there are none" : `known are: ${names.slice(0, maxNames).join(", ")}`}`;
};
