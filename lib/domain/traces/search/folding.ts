import { foldForSearch } from "./case-folding.ts";

/** Code points that join the one before them when a text is composed: marks, and the later letters of Hangul syllables. */
const joining = String.raw`\p{M}\u1160-\u11ff\u314f-\u3163\uff9e-\uffdc`;

/** Pieces of text outside of ASCII, so short that their foldings can be kept, and cut where nothing is composed. */
const units = new RegExp(String.raw`[^\x00-\x7f]{1,32}[${joining}]*`, "gu");

/** Marks that writers may leave out (of Latin, Greek, Cyrillic, Hebrew and Arabic), the Arabic filler, and characters that nobody sees. */
const omitted =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]|\p{Default_Ignorable_Code_Point}/gu;

/** Maximum code units of a unit whose folding is kept, and maximum number of kept foldings: a few megabytes. */
const [maxKeptLength, maxKept] = [16, 50_000];
const keptFoldings = new Map<string, string>();

const foldUnit = (unit: string): string => {
  const kept = keptFoldings.get(unit);
  if (kept !== undefined) return kept;
  const bare = unit.normalize("NFKD").replaceAll(omitted, "");
  const folded = bare === "" ? "" : foldForSearch(bare);
  if (unit.length <= maxKeptLength) {
    if (keptFoldings.size >= maxKept) keptFoldings.clear();
    keptFoldings.set(unit, folded);
  }
  return folded;
};

/**
 * Folds a text for the search for words: case, accents, vowel points, width and ligatures do not matter. The folding of a text has the
 * foldings of its words in it, whatever lies between them.
 */
export const foldText = (text: string): string => text.replaceAll(units, foldUnit).toLowerCase();

/** Returns the place in a text of a place in its folding, at most a few dozen characters before it. */
export const placeInText = (text: string, foldedPlace: number): number => {
  let shift = 0;
  for (const { 0: unit, index } of text.matchAll(units)) {
    if (index + shift > foldedPlace) break;
    const foldedEnd = index + shift + foldUnit(unit).length;
    if (foldedEnd > foldedPlace) return index;
    shift = foldedEnd - index - unit.length;
  }
  return foldedPlace - shift;
};
