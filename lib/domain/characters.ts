/** True if a text has at most `characters` code points, the unit in which JSON Schema counts. */
export const hasAtMost = (text: string, characters: number): boolean => {
  if (text.length <= characters) return true;
  if (text.length > 2 * characters) return false;
  return Array.from(text).length <= characters;
};

/** Returns the first code points of a text. */
export const firstCharacters = (text: string, characters: number): string =>
  hasAtMost(text, characters)
    ? text
    : Array.from(text.slice(0, 2 * characters))
        .slice(0, characters)
        .join("");
