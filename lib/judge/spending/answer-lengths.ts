import type { AnswerLengths } from "./call-budget.ts";

/** Mean lengths of recent answers, by model and question. */
export interface AnswerLengthHistory {
  /** Adds the length of an answer to its question's mean. @param tokens output tokens of the answer. */
  readonly record: (model: string, question: string, tokens: number) => void;
  /** Estimates answer lengths that suffice for each of the questions. @param maxTokens output token limit of a normal call. */
  readonly lengths: (model: string, questions: readonly string[], maxTokens: number) => AnswerLengths;
}

/** Weight of the newest answer in the rolling mean. */
const weight = 0.2;

/** Assumed output tokens of an answer while no length is recorded: verdicts have a few hundred, reasoning adds more. */
const defaults = { likely: 2048, min: 1024 } as const;

const limitedTo = (max: number, { likely, min }: Omit<AnswerLengths, "max">): AnswerLengths => ({
  max,
  likely: Math.min(max, likely),
  min: Math.min(max, min),
});

/** Returns the answer lengths of questions without recorded answers. @param maxTokens output token limit of a normal call. */
export const defaultAnswerLengths = (maxTokens: number): AnswerLengths => limitedTo(maxTokens, defaults);

/** Estimates answer lengths from a recorded mean: most answers are shorter than `likely`, few answers fit in `min`. */
const lengthsAround = (mean: number) => ({ likely: Math.ceil(4 * mean) + 256, min: Math.ceil(1.5 * mean) + 128 });

/** Creates an empty history of answer lengths, kept in the memory of this process. */
export const answerLengthHistory = (): AnswerLengthHistory => {
  const means = new Map<string, number>();
  const keyOf = (model: string, question: string): string => `${model} ${question}`;
  return {
    record: (model, question, tokens) => {
      const key = keyOf(model, question);
      const mean = means.get(key);
      means.set(key, mean === undefined ? tokens : mean + weight * (tokens - mean));
    },
    lengths: (model, questions, maxTokens) => {
      const recordedMeans = questions.flatMap((question) => means.get(keyOf(model, question)) ?? []);
      return recordedMeans.length < questions.length
        ? defaultAnswerLengths(maxTokens)
        : limitedTo(maxTokens, lengthsAround(Math.max(0, ...recordedMeans)));
    },
  };
};
