/** Characters in the syntax of a regular expression's character class. */
type CharacterClass = string;

const angles = {
  opening: "<\\u00ab\\u02c2\\u1438\\u2039\\u226a\\u22d8\\u2329\\u276e\\u27e8\\u27ea\\u3008\\u300a\\ufe64\\uff1c",
  closing: ">\\u00bb\\u02c3\\u1433\\u203a\\u226b\\u22d9\\u232a\\u276f\\u27e9\\u27eb\\u3009\\u300b\\ufe65\\uff1e",
} as const;
/** Characters without width. */
const invisibleRanges: CharacterClass = "\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufe00-\\ufe0f\\ufeff";
const lineBreakRanges: CharacterClass = "\\r\\u000b\\u000c\\u0085\\u2028\\u2029";
/** Control characters, direction overrides and Unicode tags, which a model reads and a person does not see. */
const hiddenRanges: CharacterClass =
  "\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f\\u202a-\\u202e\\u2066-\\u2069\\u{e0000}-\\u{e007f}";

const runOf = (angle: CharacterClass): RegExp => new RegExp(`[${angle}](?:[${invisibleRanges}]*[${angle}]){2,}`, "gu");
const lineBreaks = new RegExp(`\\r\\n|[${lineBreakRanges}]`, "gu");
const hiddenCharacters = new RegExp(`[${hiddenRanges}]`, "gu");
const invisibleCharacters = new RegExp(`[${invisibleRanges}]`, "gu");
const openings = runOf(angles.opening);
const closings = runOf(angles.closing);
/** Matches a text that must be neutralised; a cheap test, since nearly all texts are safe. */
const unsafeText = new RegExp(
  `[${lineBreakRanges}${hiddenRanges}${invisibleRanges}]|[${angles.opening}]{3}|[${angles.closing}]{3}`,
  "u",
);

/** Writes a hidden character as its code, so that the judge sees it. */
const escapeCharacter = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

const spreadOut = (mark: string) => (run: string) =>
  Array.from(run.replace(invisibleCharacters, ""), () => mark).join(" ");

/**
 * Makes text of a trace safe between delimiters: runs of angle brackets and look-alikes are spread out (`<<<` becomes `< < <`),
 * line breaks become line feeds, hidden characters become their code (`\u{202e}`). Idempotent.
 */
export const neutralise = (content: string): string => {
  const text = content.toWellFormed();
  if (!unsafeText.test(text)) return text;
  return text
    .replace(lineBreaks, "\n")
    .replace(hiddenCharacters, escapeCharacter)
    .replace(openings, spreadOut("<"))
    .replace(closings, spreadOut(">"));
};

/** The lines that delimit material of a trace in a prompt. */
interface Delimiters {
  readonly begins: string;
  readonly ends: string;
}

/** Kind of material: the rendered trace, or facts and extractions from it. */
type MaterialLabel = "RECORD" | "NOTES";

/**
 * Returns the two lines around material. The nonce is drawn at random after the trace was recorded, so no material can contain
 * the line that ends it.
 */
export const delimiters = (label: MaterialLabel, nonce: string): Delimiters => ({
  begins: `<<<<< ${label} ${nonce} BEGINS >>>>>`,
  ends: `<<<<< ${label} ${nonce} ENDS >>>>>`,
});

const letters = "bcdfghjklmnpqrstvwxz";

/** Derives four letters from a nonce (a token or two); they begin every structural line of a transcript. */
export const lineCode = (nonce: string): string => {
  let remainder = Number.parseInt(nonce.slice(0, 12), 16) || 0;
  return Array.from({ length: 4 }, () => {
    const letter = letters[remainder % letters.length] ?? "";
    remainder = Math.floor(remainder / letters.length);
    return letter;
  }).join("");
};

/** Puts text between delimiters and removes the nonce from it: an extraction by a model may repeat the nonce. */
export const delimit = (label: MaterialLabel, nonce: string, text: string): string => {
  const { begins, ends } = delimiters(label, nonce);
  return `${begins}\n${neutralise(text).replaceAll(nonce, "[nonce]")}\n${ends}`;
};
