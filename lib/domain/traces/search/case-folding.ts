/**
 * Folds the case of a text for searching. Both lower-case forms of the Greek letter sigma (at the end of a word and
 * elsewhere) become the same letter, so that a search for part of a word matches.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

/** Letters with a stroke, which Unicode does not decompose into a letter and a mark. */
const withoutStroke: Readonly<Record<string, string>> = { đ: "d", ħ: "h", ł: "l", ø: "o", ŧ: "t" };

/**
 * Folds case and accents of a text for searching: `ß` is `ss`, both i of Turkish are `i`, `é` is `e`. Marks of other scripts than Latin,
 * Greek and Cyrillic stay, since they are letters there. A text of marks alone stays too.
 */
export const foldForSearch = (text: string): string => {
  if (!/[^\p{ASCII}]/u.test(text)) return text.toLowerCase();
  const bare = text
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/gu, "")
    .normalize("NFC");
  // The lower case of the upper case is the full folding: two letters for ß and for ligatures.
  const folded = foldCase(bare.toLowerCase().toUpperCase());
  return folded.replaceAll(/[đħłøŧ]/gu, (letter) => withoutStroke[letter] ?? letter) || text;
};
