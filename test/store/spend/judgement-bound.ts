import type { Price } from "../../../lib/prices/price.ts";
import { traceCatalogue } from "../../../lib/metrics/trace/catalogue.ts";
import type { SentPrompt } from "../../support/runs/billing-judge.ts";

/**
 * Token bounds of a judgement that the documentation of `max_cost_usd` promises, beside one token per byte of its prompts; not the
 * numbers of the reservation code, which these bounds test.
 */
const documentedTokens = {
  /** Tokens of each prompt beyond one token per byte. */
  framing: 600,
  /** Tokens of text extracted by an earlier question, whose length is not known in advance. */
  extracted: 2000,
  /** Tokens of an image. */
  picture: 50_000,
  /** Tokens of an answer when no earlier answer is known. */
  unknownAnswer: 1024,
  /** Tokens of an answer beyond 1.5 times the known answers. */
  answerRoom: 128,
} as const;

/** Maximum tokens that are reserved for an answer, whether earlier answers of `answerTokens` are known or none. */
const answerOf = (answerTokens: number): number =>
  Math.max(documentedTokens.unknownAnswer, Math.ceil(1.5 * answerTokens) + documentedTokens.answerRoom);

const needsOf = new Map<string, readonly string[]>(
  Object.entries(traceCatalogue).map(([name, metric]) => [name, "needs" in metric ? metric.needs : []]),
);

/**
 * Computes the documented maximum cost of the most expensive judgement of a run without retries, US dollars.
 *
 * @param prompts prompts that the judge was sent, each once.
 * @param answerTokens tokens of every answer.
 */
export const dearestJudgement = (
  prompts: readonly SentPrompt[],
  metrics: readonly string[],
  { input, output }: Pick<Price, "input" | "output">,
  answerTokens: number,
): number => {
  const maxCost = ({ bytes, pictures }: SentPrompt): number =>
    (bytes + documentedTokens.framing + pictures * documentedTokens.picture) * input + answerOf(answerTokens) * output;
  const ofTargets = [...Map.groupBy(prompts, ({ target }) => target).values()];
  const judgements = metrics.flatMap((metric) => {
    const needs = needsOf.get(metric) ?? [];
    return ofTargets.map((targetPrompts) =>
      targetPrompts
        .filter(({ question }) => question === metric || needs.includes(question))
        .reduce((sum, prompt) => sum + maxCost(prompt), needs.length * documentedTokens.extracted * input),
    );
  });
  return Math.max(...judgements) / 1e6;
};
