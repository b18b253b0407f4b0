import * as v from "valibot";
import { serviceTiers } from "../../domain/runs/tier.ts";
import { integer, oneOf } from "../schema/fields.ts";
import { dryRunQuery } from "../list-query.ts";

/** Schema of the cheaper judges and tiers of an estimate. */
export const judgeAlternatives = v.pipe(
  v.array(
    v.pipe(
      v.object({
        model: v.string(),
        tier: oneOf(serviceTiers),
        cost_usd: v.pipe(v.number(), v.description("Estimated cost in US dollars without the provider's cache.")),
        cached_cost_usd: v.pipe(v.number(), v.description("Estimated cost in US dollars with the provider's cache.")),
      }),
      v.title("JudgeAlternative"),
    ),
  ),
  v.description(
    "Cost of the same tokens by up to three cheaper judges and service tiers, cheapest first, from the models whose prices the " +
      "service lists. They judge differently: compare some scores before a change.",
  ),
);

/** Schema of a run's estimate: targets, judge calls, tokens and cost. */
export const runEstimate = v.pipe(
  v.object({
    targets: v.pipe(integer, v.description("Exact number of targets after sampling.")),
    judge_calls: v.pipe(
      integer,
      v.description(
        "Number of judge calls without retries; calls whose result several metrics share count once per target.",
      ),
    ),
    prompt_tokens: v.pipe(
      integer,
      v.description(
        "Estimate from about 1,100 tokens per call plus the content of up to 20 targets, with 3.3 characters per token for Latin " +
          "text, 1.6 for Chinese, 1.4 for kana and 2.1 for base64, corrected by the actual usage of the newest judgements of each " +
          "metric by this model; for a decision model from 230 tokens per call and 400 per metric instead, without correction, though " +
          "`argument_correctness` takes some 240 more for each tool call. Caches of the provider are ignored.",
      ),
    ),
    completion_tokens: v.pipe(
      integer,
      v.description(
        "Estimate from 600 tokens per call, corrected by the actual usage of recent judgements; 0 for a decision model.",
      ),
    ),
    cost_usd: v.pipe(
      v.nullable(v.number()),
      v.description(
        "Estimated cost of these tokens in US dollars, without embeddings; null if the price of the model is unknown.",
      ),
    ),
    cached_cost_usd: v.pipe(
      v.nullable(v.number()),
      v.description(
        "Estimated cost in US dollars if the provider's cache serves the transcript to each question about a target but the first; " +
          "null if the price of the model is unknown.",
      ),
    ),
    escalation: v.pipe(
      v.nullable(
        v.pipe(
          v.object({
            pairs: v.pipe(integer, v.description("Largest number of pairs that may be asked again.")),
            judge_calls: integer,
            cost_usd: v.nullable(v.number()),
          }),
          v.title("EscalationEstimate"),
        ),
      ),
      v.description(
        "Part of a second judge in these figures, if `at_most` of the pairs are asked again; null without one. How many are " +
          "uncertain is not known before the first judge has answered.",
      ),
    ),
    alternatives: judgeAlternatives,
    set_aside_usd: v.pipe(
      v.nullable(v.number()),
      v.description(
        "Amount in US dollars that a cost ceiling reserves for the most expensive of these judgements until its cost is known, an upper " +
          "bound: one token per byte of its prompts, the maximum answer length, and two attempts per question. With a " +
          "`max_cost_usd` of `cost_usd` plus this amount no judgement has to wait.",
      ),
    ),
    least_usd: v.pipe(
      v.nullable(v.number()),
      v.description(
        "Amount in US dollars that a cost ceiling must have left for the most expensive of these judgements to start, with one attempt " +
          "per question and a short answer. The run ends if less is left.",
      ),
    ),
  }),
  v.title("RunEstimate"),
  v.description(
    "Estimate of a run. No run is created and no judge is called, so that a provider which is not configured is not noticed: " +
      "`GET /evaluations/providers` says which are.",
  ),
  v.examples([
    {
      targets: 120,
      judge_calls: 360,
      prompt_tokens: 812000,
      completion_tokens: 90000,
      cost_usd: 1.014,
      cached_cost_usd: 0.69,
      escalation: null,
      alternatives: [{ model: "openai/gpt-6-luna", tier: "flex", cost_usd: 0.0631, cached_cost_usd: 0.0458 }],
      set_aside_usd: 0.108,
      least_usd: 0.023,
    },
  ]),
);

/** Schema of the query of routes that create a run. */
export const creationQuery = dryRunQuery("True to return an estimate with status 200 instead of creating the run.");
