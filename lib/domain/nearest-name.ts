/** Letters that have to be changed, added or left out. */
const distance = (from: string, to: string): number => {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of from.split("").entries()) {
    const current = [row + 1];
    for (const [column, other] of to.split("").entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
};

/** Case, hyphens, underscores and blanks are how one spells, not what one means. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");

/** The known name that was most likely meant; null when none is near. */
export const nearestName = (given: string, known: readonly string[]): string | null => {
  const meant = plain(given).slice(0, 100);
  const best = known
    .map((name) => ({ name, off: distance(meant, plain(name)) }))
    .reduce<{ name: string; off: number } | null>(
      (least, one) => (least === null || one.off < least.off ? one : least),
      null,
    );
  return best !== null && best.off <= Math.max(1, Math.floor(plain(best.name).length / 3)) ? best.name : null;
};
