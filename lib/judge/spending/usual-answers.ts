import type { AnswerLengths } from "./funds.ts";

/** How long answers were lately. */
export interface UsualAnswers {
  /** Takes note of an answer. @param tokens of output that it had. */
  readonly note: (model: string, question: string, tokens: number) => void;
  /** How long answers to some questions may be. @param full tokens that an answer is given as a rule. */
  readonly lengths: (model: string, questions: readonly string[], full: number) => AnswerLengths;
}

/** What a newer answer counts in the mean. */
const weight = 0.2;

/** Output tokens of an answer as long as none is known: verdicts have a few hundred, and some models think first. */
const unknown = { short: 2048, shortest: 1024 } as const;

const within = (full: number, { short, shortest }: Omit<AnswerLengths, "full">): AnswerLengths => ({
  full,
  short: Math.min(full, short),
  shortest: Math.min(full, shortest),
});

/** How long answers may be as long as none is known. */
export const unknownAnswers = (full: number): AnswerLengths => within(full, unknown);

/** Of answers with this mean: what four times as much does, and what hardly does. */
const known = (mean: number) => ({ short: Math.ceil(4 * mean) + 256, shortest: Math.ceil(1.5 * mean) + 128 });

/** The rolling mean of answers by model and question, of what this process has seen. */
export const usualAnswers = (): UsualAnswers => {
  const means = new Map<string, number>();
  const keyOf = (model: string, question: string): string => `${model} ${question}`;
  return {
    note: (model, question, tokens) => {
      const key = keyOf(model, question);
      const before = means.get(key);
      means.set(key, before === undefined ? tokens : before + weight * (tokens - before));
    },
    lengths: (model, questions, full) => {
      const seen = questions.flatMap((question) => means.get(keyOf(model, question)) ?? []);
      return seen.length < questions.length ? unknownAnswers(full) : within(full, known(Math.max(0, ...seen)));
    },
  };
};
