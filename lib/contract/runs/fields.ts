import * as v from "valibot";
import { tiers } from "../../domain/runs/tier.ts";
import { bareNames, knownProviders, resolveModel } from "../../domain/runs/model.ts";
import type { SignalName } from "../../domain/scores/signals.ts";
import { closedObject } from "../closed-object.ts";
import { listOf, numberBetween, oneOf, text } from "../fields.ts";
import { inJson } from "../json-schema.ts";
import { hiddenCharacters, plainText } from "../plain-text.ts";

/** Metric names: at least one, each once, in the order given. Whether they exist is checked against the catalogue. */
const metricNames = (example: string[]) =>
  v.pipe(
    listOf(v.string("Input should be a valid string"), 1000, 1),
    v.transform((names) => [...new Set(names)]),
    v.description("Names from the list of metrics; each is evaluated once."),
    v.examples([example]),
  );

export const traceMetricList = metricNames(["task_completion", "tool_correctness"]);
export const sessionMetricList = metricNames(["agent_reliability", "agent_consistency"]);

/** What `resolveModel` takes: a provider and a name, or a bare name whose provider is known. */
const modelPattern =
  `^(?:[^/${hiddenCharacters}]+/[^${hiddenCharacters}]+|` +
  `(?:gpt|o1|o3|claude|gemini)-[^/${hiddenCharacters}][^/${hiddenCharacters}]*)$`;

export const model = v.nullish(
  v.pipe(
    plainText(255),
    v.check(
      (given) => resolveModel(given) !== null,
      `Input should have the form <provider>/<model>, or begin with one of ${bareNames}; providers are ${knownProviders.join(", ")}`,
    ),
    v.description("The judge, as <provider>/<model>; null means the service's default."),
    inJson({ type: "string", maxLength: 255, pattern: modelPattern }),
  ),
);

export const tier = v.nullish(
  v.pipe(
    oneOf(tiers),
    v.description(
      "`flex` has the judge answer when its provider has room, for half the price, where the provider sells that (OpenAI's GPT-5 " +
        "and later, o3 and o4-mini); what is refused there is asked at the standard tier at once, and a score says at which it was made. " +
        "Null means the service's default.",
    ),
  ),
);

export const runName = v.nullish(text(1024, 1));

export const samplingRate = v.optional(
  v.pipe(numberBetween(0, 1), v.description("Share of the matching targets that is evaluated, chosen at random.")),
  1,
);

export const maxCostUsd = v.nullish(
  v.pipe(
    numberBetween(0.000001, 1_000_000),
    v.description(
      "US dollars that the run's judging may cost, embeddings included; null means no ceiling. It is not passed: before a judgement " +
        "begins, all that it can cost is set aside (a token for each byte of its prompts, the limit of tokens that its answers are " +
        "given, every question asked twice, at this deployment's prices), and what it has not cost is given back. Where what is " +
        "left does not cover that, judgements wait for each other, then their answers are given fewer tokens, then they are " +
        "asked once, and at last the run ends and says so: what was scored stays, the rest can be retried. So a run of answered " +
        "judgements completes under a ceiling of what they cost and once more the most that the dearest of them, asked once, can " +
        "cost: a token for each byte of its prompts, schemas among them as texts, and 600 more for each, 2,000 where something is " +
        "extracted first, 50,000 for each picture, none of them from a cache, and an answer half as long again as such answers were " +
        "and 128 tokens (1,024 where none is known). They cost more where that is too little: an answer that is cut is paid and " +
        "asked for again, and so may be an extraction of which more than 2,000 bytes are shown. What fifty like judgements leave " +
        "that cost 70 % of it are 21 more: enough, unless most of a long prompt comes from a cache at a small part of its price, " +
        "pictures come to a small part of 50,000 tokens, or answers have fewer than 50. A call whose usage the " +
        "provider did not tell counts as all that it can have cost. It holds as far as providers tell their usage truly and keep " +
        "to the limit of tokens; not counted are " +
        "calls of a worker that died before it stored what came of them. A model whose price is not known cannot be used with it.",
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

export const signalWeights = v.nullish(
  v.pipe(
    closedObject(weights),
    v.title("SignalWeights"),
    v.description("How much each signal counts, in place of the defaults; 0 or more. In no reply."),
  ),
);
