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

/** Truncates a text to `maxLength` UTF-16 units without cutting a surrogate pair in two. */
export const truncate = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\ud800-\udbff]$/u, "");

/** Shortens a text for a message: its first `length` UTF-16 units and three dots. */
export const abbreviate = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}...` : text;
