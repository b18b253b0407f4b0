import type { Price } from "../../../lib/judge/prices/price.ts";
import { traceCatalogue } from "../../../lib/metrics/trace/catalogue.ts";
import type { SentPrompt } from "../../support/runs/billing-judge.ts";

/**
 * What `max_cost_usd` says that a judgement, asked once, can cost at most beside a token for each byte of its prompts: numbers of
 * that text, and none of those by which money is set aside.
 */
const promised = {
  /** Tokens of each prompt beyond its bytes. */
  framing: 600,
  /** Tokens for what is extracted first, before anyone knows how long it is. */
  extracted: 2000,
  /** Tokens of a picture. */
  picture: 50_000,
  /** Tokens of an answer where none is known. */
  unknownAnswer: 1024,
  /** Tokens of an answer beyond half as many again as such answers had. */
  answerRoom: 128,
} as const;

/** Tokens that an answer is to have at least, whether others are known, which had so many, or none is. */
const answerOf = (usual: number): number =>
  Math.max(promised.unknownAnswer, Math.ceil(1.5 * usual) + promised.answerRoom);

const needsOf = new Map<string, readonly string[]>(
  Object.entries(traceCatalogue).map(([name, metric]) => [name, "needs" in metric ? metric.needs : []]),
);

/**
 * The most that the dearest judgement of a run can cost, asked once, by the prompts that its judge was sent: none of them twice.
 * US dollars.
 *
 * @param usual tokens that every answer had.
 */
export const dearestJudgement = (
  prompts: readonly SentPrompt[],
  metrics: readonly string[],
  { input, output }: Pick<Price, "input" | "output">,
  usual: number,
): number => {
  const most = ({ bytes, pictures }: SentPrompt): number =>
    (bytes + promised.framing + pictures * promised.picture) * input + answerOf(usual) * output;
  const ofTargets = [...Map.groupBy(prompts, ({ target }) => target).values()];
  const judgements = metrics.flatMap((metric) => {
    const needs = needsOf.get(metric) ?? [];
    return ofTargets.map((sent) =>
      sent
        .filter(({ question }) => question === metric || needs.includes(question))
        .reduce((sum, prompt) => sum + most(prompt), needs.length * promised.extracted * input),
    );
  });
  return Math.max(...judgements) / 1e6;
};
