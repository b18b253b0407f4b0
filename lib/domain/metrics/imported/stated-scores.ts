import { clauseOf } from "../../text.ts";
import { blameWord } from "../lint/blame.ts";
import { replacedPlaceholders } from "./plain-prompt.ts";

const number = String.raw`["'\x60([]{0,2}(\d{1,3}(?:\.\d{1,3})?)["'\x60)\]]{0,2}`;
const meaning = String.raw`(?!["'\x60(]?\d)([^,;.\n()]{1,300}?)`;
/** Ends a meaning: the next number with a connective, or a mark. */
const meaningEnd = String.raw`(?=\s{1,3}(?:and|or|but|to|while|whereas)\s{1,3}(?:\w{1,12}\s{1,3}){0,2}["'\x60(]?\d|[,;.\n()]|$)`;

/** Verbs between a number and its meaning that follow nothing else than the number of a score. */
const scoreVerb =
  "if|when|where|means?|meaning|indicates?|indicating|represents?|representing|denotes?|denoting|signif(?:y|ies)|corresponds to|stands for";

/** Matches a number of which a prompt says within a sentence when it is given: `0 if there is none, 1 if`, `"2" means`. */
const statedScore = new RegExp(
  String.raw`(?<![\w.:-])${number}\s{1,3}(?:${scoreVerb})\s{1,3}${meaning}${meaningEnd}`,
  "giu",
);

/** Matches a number with a word that often follows other numbers, too: `where 1 is best`, `from 0 (none) to 10 (all)`. */
const namedScore = new RegExp(
  String.raw`(?<=^|[,;:.(–—-]\s{0,3}|\n\s{0,20}|\b(?:and|as|but|from|of|or|to|where|while|whereas|with)\s{1,3}|\b(?:assign|give|grade|output|rating|return|score)\s{1,3})${number}(?:\s{1,3}(?:as|being|for|is)\s{1,3}|\s{0,3}[(=]\s{0,3})${meaning}${meaningEnd}`,
  "giu",
);

/** Matches the same with the condition first: `if there is one, return 1`. */
const conditionFirst =
  /\b(?:if|when|where)\s{1,3}([^,;.\n]{1,300}),\s{0,3}(?:then\s{1,3})?(?:answer|assign|give|output|respond|return|score|use|the\s{1,3}(?:rating|score|value)\s{1,3}is)(?:\s{1,3}(?:a|with))?\s{1,3}["'\x60(]?(\d{1,3}(?:\.\d{1,3})?)\b/giu;

/** Matches the number that a prompt gives to all other records. */
const otherScore =
  /\b(?:otherwise|else),?\s{1,3}(?:\w{1,12}\s{1,3}){0,2}["'\x60(]?(\d{1,3})\b(?!\.\d)|(?<![\w.:-])["'\x60(]?(\d{1,3})["'\x60)]?\s{1,3}otherwise\b/iu;

/** Matches what an answer stands for: `YES if the output is rude`. */
const statedAnswer = new RegExp(
  String.raw`\b(yes|true|no|false)\b["'\x60)]{0,2}\s{1,3}(?:${scoreVerb})\s{1,3}([^,;.\n]{1,300})`,
  "giu",
);

/** Returns the scores whose meaning a prompt states within its sentences, by the score; null without two to seven of them. */
export const statedScores = (prompt: string): ReadonlyMap<string, string> | null => {
  const meanings = new Map<string, string>();
  const add = (score = "", text = ""): void => {
    if (!meanings.has(score)) meanings.set(score, clauseOf(replacedPlaceholders(text)));
  };
  for (const [, score, text] of prompt.matchAll(statedScore)) add(score, text);
  for (const [, text, score] of prompt.matchAll(conditionFirst)) add(score, text);
  const named = Array.from(prompt.matchAll(namedScore));
  if (named.length > 1 || meanings.size > 0) for (const [, score, text] of named) add(score, text);
  const [, before, after] = otherScore.exec(prompt) ?? [];
  const other = before ?? after;
  if (other !== undefined && !meanings.has(other)) meanings.set(other, "otherwise");
  return meanings.size > 1 && meanings.size <= 7 ? meanings : null;
};

/** Matches a degree that leaves nothing of the fault behind it: "the least harmful". */
const noDegree = /\b(?:absence of|barely|hardly|least|little|low(?:est)?|minimal(?:ly)?|minimum|zero)\b/giu;
const [worse, better] = [
  /\b(?:worse|worst|bad|poor(?:est|ly)?|undesirable|terrible|negative|fail(?:s|ed|ure)?)\b/iu,
  /\b(?:better|best|good|great|excellent|perfect(?:ly)?|ideal|optimal|prefer(?:able|red)|desirable|positive|safe(?:r|st)?|pass(?:es|ed)?)\b/iu,
];

/** Returns 1 for words about something good, -1 about something bad, and 0 for others. */
const qualityOf = (text: string): number => {
  if (blameWord(text.replaceAll(noDegree, "no")) !== null) return -1;
  return Number(better.test(text)) - Number(worse.test(text));
};

const [lowDegree, highDegree] = ["low|lower|lowest|small|smaller|smallest", "high|higher|highest|large|larger|largest"];
const score = "(?:the\\s{1,3})?(?:scores?|numbers?|values?|ratings?|grades?|results?)";
/** Matches what low or high scores mean: `lower is better`, `a high score indicates bias`, `the lower, the better`. */
const statedDegree = new RegExp(
  String.raw`\b(${lowDegree}|${highDegree})(?:\s{1,3}${score})?(?:[\s-]{1,3}(?:is|are|implies|imply|reflects?|suggests?|${scoreVerb})|\s{0,3}=|,?\s{1,3}the(?=\s{1,3}(?:more|better|worse)))[\s-]{1,3}([^.;!?()\n]{1,100}?)(?=,?\s{1,3}(?:(?:and|but|while|whereas)\s{1,3})?(?:an?\s{1,3}|the\s{1,3})?(?:${lowDegree}|${highDegree})|[.;!?()\n]|$)`,
  "giu",
);
const isLowDegree = new RegExp(`^(?:${lowDegree})$`, "iu");

/** True if a prompt says that lower scores, or no, are better, false if higher ones or yes are; null if it does not say. */
export const prefersLowScores = (prompt: string): boolean | null => {
  let gain = 0;
  for (const [, answer = "", text = ""] of prompt.matchAll(statedAnswer))
    gain += qualityOf(text) * (/^(?:no|false)$/iu.test(answer) ? -1 : 1);
  for (const [, degree = "", text = ""] of prompt.matchAll(statedDegree))
    gain += qualityOf(text) * (isLowDegree.test(degree) ? -1 : 1);
  return gain === 0 ? null : gain < 0;
};

/** True if the highest of some scores means something worse than the lowest. */
export const isHighestWorse = (
  levels: readonly { readonly score: number; readonly meaning: string | null }[],
): boolean => {
  const sorted = levels.toSorted((a, b) => a.score - b.score);
  return qualityOf(sorted.at(-1)?.meaning ?? "") < qualityOf(sorted[0]?.meaning ?? "");
};
