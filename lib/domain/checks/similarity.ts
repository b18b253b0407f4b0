import { distance } from "fastest-levenshtein";

/** Maximum product of the lengths of two texts whose edits are counted: 10,000 by 10,000 characters take 0.1 s. */
export const maxComparedCharacters = 100_000_000;

/** UTF-16 code units that no well-formed text has. */
const [firstLoneUnit, loneUnits] = [0xd800, 0x800] as const;

/** Returns texts in which each character is one code unit, so that an emoji is one edit; unchanged if they have too many of these. */
const inSingleUnits = (texts: readonly [string, string]): readonly [string, string] => {
  const units = new Map<string, string>();
  const [one, other] = texts.map((text) =>
    text.toWellFormed().replaceAll(/[\u{10000}-\u{10ffff}]/gu, (character) => {
      const unit = units.get(character) ?? String.fromCharCode(firstLoneUnit + units.size);
      units.set(character, unit);
      return unit;
    }),
  );
  return units.size > loneUnits || one === undefined || other === undefined ? texts : [one, other];
};

/**
 * Returns the similarity of two texts, from 0 to 1: 1 less the share of Levenshtein's edits in the characters of the longer text.
 *
 * @param lengths characters of the two texts.
 * @param least similarity that matters: below it the result is the highest that the lengths allow.
 * @param most maximum product of the lengths.
 * @returns the similarity, null for texts that are too long to compare, and the product of the lengths if edits were counted.
 */
export const similarityOf = (
  one: string,
  other: string,
  lengths: readonly [number, number],
  least: number,
  most: number,
) => {
  // The edits are at least the difference of the lengths.
  const bound = one === other ? 1 : Math.min(...lengths) / Math.max(...lengths);
  if (one === other || bound < least) return { similarity: bound, work: 0 };
  const [a, b] = inSingleUnits([one, other]);
  const [work, longer] = [a.length * b.length, Math.max(a.length, b.length)];
  return work > most ? { similarity: null, work: 0 } : { similarity: (longer - distance(a, b)) / longer, work };
};
