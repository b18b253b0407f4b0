/** Compares texts by code point; JavaScript's own order goes by UTF-16 code unit. */
export const byCodePoint = (a: string, b: string): number => {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x === y) continue;
    // Surrogates encode code points above every other code unit.
    const [isLeftSurrogate, isRightSurrogate] = [isSurrogate(x), isSurrogate(y)];
    return isLeftSurrogate === isRightSurrogate ? x - y : Number(isLeftSurrogate) - Number(isRightSurrogate);
  }
  return a.length - b.length;
};

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Returns the distinct tags, ordered by code point. */
export const sortedTags = (tags: readonly string[]): readonly string[] => [...new Set(tags)].toSorted(byCodePoint);
