/** A set of ASCII characters: true at the code of each character that belongs to it. */
export type CharacterSet = readonly boolean[];

/** Creates the set of the ASCII characters that match a pattern. */
export const charactersOf = (pattern: RegExp): CharacterSet =>
  Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));

/**
 * True if a text has a run of at least `length` characters of a set. A fast pre-check: it samples every `length`-th character, one of
 * which lies in any such run, while a pattern would read every character.
 */
export const hasRun = (text: string, characters: CharacterSet, length: number): boolean => {
  const isMember = (at: number): boolean => characters[text.charCodeAt(at)] === true;
  for (let position = length - 1; position < text.length; position += length) {
    if (!isMember(position)) continue;
    let [from, to] = [position, position];
    while (to - from < length && isMember(from - 1)) from -= 1;
    while (to - from < length && isMember(to + 1)) to += 1;
    if (to - from + 1 >= length) return true;
  }
  return false;
};
