import * as v from "valibot";
import {
  bareNamePrefixes,
  decisionProviders,
  isDecisionModel,
  judgeProviders,
  resolveModel,
} from "../../domain/runs/model.ts";
import type { SignalName } from "../../domain/scores/signals.ts";
import { closedObject } from "../schema/closed-object.ts";
import { listOf, numberBetween, text } from "../schema/fields.ts";
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
export const judgeModel = modelName(
  "openai/gpt-5.4-mini",
  "Judge model as `<provider>/<model>`; null for the default of the service.",
  `^${modelPattern}`,
  () => true,
  "",
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

export const runName = v.nullish(text(1024, 1));

const weight = v.exactOptional(numberBetween(0, Number.MAX_VALUE));

const weights: Record<SignalName, typeof weight> = {
  confidence: weight,
  coherence: weight,
  loop_detection: weight,
  tool_correctness: weight,
};

/** Schema of the weights of a session run's signals (trace scores that session metrics are computed from). */
export const signalWeights = v.pipe(
  closedObject(weights),
  v.title("SignalWeights"),
  v.description("Weights of the signals that replace the defaults, 0 or more each; never part of replies."),
);
