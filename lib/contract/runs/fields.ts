import * as v from "valibot";
import { serviceTiers } from "../../domain/runs/tier.ts";
import {
  bareNamePrefixes,
  decisionProviders,
  isDecisionModel,
  judgeProviders,
  resolveModel,
} from "../../domain/runs/model.ts";
import type { SignalName } from "../../domain/scores/signals.ts";
import { amountBetween } from "../list-query.ts";
import { closedObject } from "../schema/closed-object.ts";
import { listOf, numberBetween, oneOf, text } from "../schema/fields.ts";
import { describedAs } from "../schema/json-schema.ts";
import { hiddenCharacters, plainText } from "../schema/plain-text.ts";

/** Schema of a list of metric names, at least one, with duplicates removed. The handler checks that the metrics exist. */
const metricNames = (example: string[]) =>
  v.pipe(
    listOf(v.string("Input should be a valid string"), 1000, 1),
    v.transform((names) => [...new Set(names)]),
    v.description("Names of the metrics to evaluate, from the list of metrics; duplicates are removed."),
    v.examples([example]),
  );

/** Schema of the metrics of a trace run. */
export const traceMetricList = metricNames(["task_completion", "tool_correctness"]);
/** Schema of the metrics of a session run. */
export const sessionMetricList = metricNames(["agent_reliability", "agent_consistency"]);

/** Pattern of model names that `resolveModel` accepts: `<provider>/<model>`, or a model name with a known prefix. */
const modelPattern =
  `(?:[^/${hiddenCharacters}]+/[^${hiddenCharacters}]+|` +
  `(?:gpt|o1|o3|claude|gemini)-[^/${hiddenCharacters}][^/${hiddenCharacters}]*)$`;

const modelName = (
  example: string,
  description: string,
  pattern: string,
  isAccepted: (model: string) => boolean,
  message: string,
) =>
  v.pipe(
    plainText(255),
    v.check(
      (value) => resolveModel(value) !== null,
      `Input should have the form <provider>/<model>, or begin with one of ${bareNamePrefixes}; providers are ${judgeProviders.join(", ")}`,
    ),
    v.check(isAccepted, message),
    v.description(description),
    v.examples([example]),
    describedAs({ type: "string", maxLength: 255, pattern }),
  );

/** Schema of the judge model of a run. */
export const judgeModel = v.nullish(
  modelName(
    "openai/gpt-5.4-mini",
    "Judge model as `<provider>/<model>`; null for the default of the service.",
    `^${modelPattern}`,
    () => true,
    "",
  ),
);

/** Schema of a decision model. */
export const decisionModel = modelName(
  "openai-decisions/gpt-6-luna",
  "Decision model that judges all pairs, `openai-decisions/<model>` or `systemone/<model>`.",
  `^(?:${decisionProviders.join("|")})/[^${hiddenCharacters}]+$`,
  isDecisionModel,
  "Input should be a decision model, openai-decisions/<model> or systemone/<model>: only its verdicts have a confidence",
);

/** Schema of the chat model that is asked about uncertain verdicts. */
export const secondModel = modelName(
  "openai/gpt-5.4-mini",
  "Chat model, as in `model`, that is asked again about uncertain verdicts; its verdict counts.",
  `^${modelPattern}`,
  (model) => !isDecisionModel(model),
  "Input should be a chat model: a decision model gives no reasons and cites nothing",
);

/** Schema of the service tier of a run's judge calls. */
export const serviceTier = v.nullish(
  v.pipe(
    oneOf(serviceTiers),
    v.description(
      "Service tier of judge calls; null for the default of the service. `flex` uses spare capacity of the provider at half the price " +
        "where available (OpenAI's GPT-5 and later, o3 and o4-mini; Gemini 2.5 and later; Nova, gpt-oss, Qwen and DeepSeek on Bedrock); calls refused there are repeated at the standard tier at once, and " +
        "each score records its tier.",
    ),
  ),
);

export const runName = v.nullish(text(1024, 1));

export const samplingRate = v.optional(
  v.pipe(numberBetween(0, 1), v.description("Fraction of the matching targets to evaluate, chosen at random.")),
  1,
);

/** Smallest and largest cost ceiling of a run in US dollars. */
const costCeilingRange = [0.000001, 1_000_000] as const;

/** Schema of the cost ceiling of a run in a query. */
export const maxCostText = amountBetween(...costCeilingRange);

export const maxCostUsd = v.nullish(
  v.pipe(
    numberBetween(...costCeilingRange),
    v.description(
      "Cost ceiling of the run's judge calls in US dollars, embeddings included; null for none. The ceiling is not exceeded: before a " +
        "judgement starts, its maximum cost is reserved (one token per byte of its prompts, the maximum answer length, two attempts " +
        "per question, at this deployment's prices), and afterwards the unused part is released. If the remaining amount is too small, " +
        "judgements first wait for each other, then get shorter answers, then a single attempt, then prompts count by their script " +
        "(for listed models and those that have reported usage); finally the run ends with an error message, keeps its scores, and " +
        "can be retried. A run completes if the ceiling covers the cost of its judgements plus the " +
        "maximum cost of the most expensive one with a single attempt: one token per byte of its prompts and schemas, 600 tokens more " +
        "per prompt (2,000 after an extraction step), 50,000 per image, nothing cached, and an answer of 1.5 times the usual length " +
        "plus 128 tokens (1,024 if unknown). Truncated answers, and extractions of more than 2,000 bytes, may be requested and paid " +
        "again. After fifty similar judgements that used 70 % of the ceiling, the remaining 30 % suffices for 21 more, unless long " +
        "prompts come mostly from a cheap cache, images take far fewer than 50,000 tokens, or answers have fewer than 50 tokens. A " +
        "call without reported usage counts with its maximum cost. The guarantee requires that providers report usage correctly and " +
        "respect the token limit. What a worker had reserved when it died counts as spent. Models without a known price are refused.",
    ),
  ),
);

const weight = v.exactOptional(numberBetween(0, Number.MAX_VALUE));

const weights: Record<SignalName, typeof weight> = {
  confidence: weight,
  coherence: weight,
  loop_detection: weight,
  tool_correctness: weight,
};

/** Schema of the weights of a session run's signals (trace scores that session metrics are computed from). */
export const signalWeights = v.nullish(
  v.pipe(
    closedObject(weights),
    v.title("SignalWeights"),
    v.description("Weights of the signals that replace the defaults, 0 or more each; never part of replies."),
  ),
);
