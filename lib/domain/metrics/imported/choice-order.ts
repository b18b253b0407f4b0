import { truncate } from "../../text.ts";
import type { ForeignChoice } from "./foreign-choices.ts";

/** Maximum characters of a label. */
export const maxLabelLength = 40;

/** Rounds a score to four decimals. */
export const roundedScore = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Matches labels of an answer that is worse than others. */
const worseLabel =
  /^(?:no|n|f|fail(?:ed|s|ure)?|bad|poor|worst|terrible|wrong|false|invalid|negative|low|irrelevant|incorrect|incomplete|incoherent|inaccurate|inappropriate|unacceptable|unsafe|unhelpful|unfaithful|ungrounded|unclear|toxic|harmful|biased|rude|hallucinated|hallucination|none|never|not\b.{0,60})$/iu;

/** A choice with a score. */
export type ScoredChoice = ForeignChoice & { readonly score: number };

/** Matches labels of an answer that is better than others, and labels that count. */
const betterLabel =
  /^(?:yes|y|pass(?:ed|es)?|good|great|best|better|excellent|fine|ok|okay|right|true|valid|positive|high|medium|moderate|fair|relevant|correct|complete|coherent|accurate|appropriate|acceptable|safe|helpful|faithful|factual|grounded|clear|always|fully?|partly|partial(?:ly)?|mostly|[a-z]|.{0,20}\d.{0,20})$/iu;

/** True if choices without scores are categories: no label is that of a better or worse answer. */
export const areCategories = (choices: readonly ForeignChoice[]): boolean =>
  choices.length > 2 &&
  choices.every(({ label, score }) => score === null && !worseLabel.test(label) && !betterLabel.test(label));

/**
 * Returns the choices with their scores; without scores they fall evenly from 1 for the best to 0 for the last. The first is
 * the best unless labels tell otherwise, or a low score is better.
 */
export const withScores = (
  choices: readonly ForeignChoice[],
  isReversed: boolean,
  notes: string[],
): { readonly choices: readonly ScoredChoice[]; readonly isReversed: boolean } => {
  const scoredChoices = choices.flatMap((choice) =>
    choice.score === null ? [] : [{ ...choice, score: choice.score }],
  );
  if (scoredChoices.length === choices.length) return { choices: scoredChoices, isReversed };
  const [isFirstWorse, isLastWorse] = [choices[0], choices.at(-1)].map((choice) =>
    worseLabel.test(choice?.label ?? ""),
  );
  const isAscending = isFirstWorse === isLastWorse ? isReversed : isFirstWorse === true;
  const [best, last] = isAscending ? [choices.at(-1), choices[0]] : [choices[0], choices.at(-1)];
  notes.push(
    `The choices had no scores: "${truncate(best?.label ?? "", maxLabelLength)}" is 1, "${truncate(last?.label ?? "", maxLabelLength)}" is 0. Adjust the values of the levels if that is wrong.`,
  );
  const rankedChoices = choices.map((choice, index) => {
    const share = index / (choices.length - 1);
    return { ...choice, score: roundedScore(isAscending ? share : 1 - share) };
  });
  return { choices: rankedChoices, isReversed: false };
};
