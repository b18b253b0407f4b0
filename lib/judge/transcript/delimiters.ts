/** Characters as the inside of a regular expression's class. */
type Class = string;

const angles = {
  opening: "<\\u00ab\\u02c2\\u1438\\u2039\\u226a\\u22d8\\u2329\\u276e\\u27e8\\u27ea\\u3008\\u300a\\ufe64\\uff1c",
  closing: ">\\u00bb\\u02c3\\u1433\\u203a\\u226b\\u22d9\\u232a\\u276f\\u27e9\\u27eb\\u3009\\u300b\\ufe65\\uff1e",
} as const;
/** Take no room on a screen. */
const invisible: Class = "\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufe00-\\ufe0f\\ufeff";
const lineBreak: Class = "\\r\\u000b\\u000c\\u0085\\u2028\\u2029";
/** Control characters, direction overrides and tags: they show a reader one thing and a model another. */
const hidden: Class =
  "\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f\\u202a-\\u202e\\u2066-\\u2069\\u{e0000}-\\u{e007f}";

const runOf = (angle: Class): RegExp => new RegExp(`[${angle}](?:[${invisible}]*[${angle}]){2,}`, "gu");
const lineBreaks = new RegExp(`\\r\\n|[${lineBreak}]`, "gu");
const hiddenOnes = new RegExp(`[${hidden}]`, "gu");
const invisibles = new RegExp(`[${invisible}]`, "gu");
const openings = runOf(angles.opening);
const closings = runOf(angles.closing);
/** One pass tells that there is nothing to do, which is nearly always so. */
const suspicious = new RegExp(`[${lineBreak}${hidden}${invisible}]|[${angles.opening}]{3}|[${angles.closing}]{3}`, "u");

/** A character as its code: what a screen does not show, the judge is told. */
const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

const spread = (mark: string) => (run: string) => Array.from(run.replace(invisibles, ""), () => mark).join(" ");

/**
 * Text of a trace as it may stand between delimiters: look-alikes of their brackets are spread out (`<<<` becomes `< < <`),
 * every kind of line break is a line feed, hidden characters are written as their code (`\u{202e}`). Doing it again changes nothing.
 */
export const neutralised = (given: string): string => {
  const text = given.toWellFormed();
  if (!suspicious.test(text)) return text;
  return text
    .replace(lineBreaks, "\n")
    .replace(hiddenOnes, escaped)
    .replace(openings, spread("<"))
    .replace(closings, spread(">"));
};

/** The lines around material. */
interface Delimiters {
  readonly begins: string;
  readonly ends: string;
}

/** What stands between delimiters: the rendered trace, or what an earlier question drew from it. */
type MaterialLabel = "RECORD" | "NOTES";

/**
 * The two lines around material, which is never an instruction. The nonce is random and made after the material was written,
 * so no material can contain the line that ends it.
 */
export const delimiters = (label: MaterialLabel, nonce: string): Delimiters => ({
  begins: `<<<<< ${label} ${nonce} BEGINS >>>>>`,
  ends: `<<<<< ${label} ${nonce} ENDS >>>>>`,
});

const letters = "bcdfghjklmnpqrstvwxz";

/** Four letters that follow from a nonce: they begin the lines of a transcript's own, at a token or two each. */
export const lineCode = (nonce: string): string => {
  let rest = Number.parseInt(nonce.slice(0, 12), 16) || 0;
  return Array.from({ length: 4 }, () => {
    const letter = letters[rest % letters.length] ?? "";
    rest = Math.floor(rest / letters.length);
    return letter;
  }).join("");
};

/** Puts text between delimiters. A model can repeat the nonce into what it draws from a trace, so it is taken out as well. */
export const delimited = (label: MaterialLabel, nonce: string, text: string): string => {
  const { begins, ends } = delimiters(label, nonce);
  return `${begins}\n${neutralised(text).replaceAll(nonce, "[nonce]")}\n${ends}`;
};
