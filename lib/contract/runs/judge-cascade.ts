import * as v from "valibot";
import { closedObject } from "../schema/closed-object.ts";
import { numberBetween } from "../schema/fields.ts";
import { decisionModel, secondModel } from "./fields.ts";

const share = (description: string) => v.pipe(numberBetween(0, 1), v.description(description));

const when = v.pipe(
  closedObject({
    confidence_below: v.optional(
      share("A verdict is uncertain if the probability of its level is lower. A refused verdict has the confidence 0."),
      0.8,
    ),
    coverage_below: v.nullish(
      share(
        "A verdict is uncertain, too, if the first judge was shown a smaller share of the trace; null: the share does not matter.",
      ),
    ),
  }),
  v.title("EscalationCondition"),
);

const escalate = v.pipe(
  closedObject({
    to: secondModel,
    when: v.optional(when, {}),
    at_most: v.optional(
      v.pipe(
        numberBetween(0.001, 1),
        v.description(
          "Largest share of the pairs of target and metric that is asked again, rounded down in each part of about 50 pairs that a run is divided into: the " +
            "least confident first.",
        ),
      ),
      1,
    ),
  }),
  v.title("JudgeEscalation"),
);

/** Schema of the two judges of a run of traces. */
export const judgeCascade = v.nullish(
  v.pipe(
    closedObject({
      first: decisionModel,
      escalate,
    }),
    v.title("JudgeCascade"),
    v.description(
      "Two judges instead of `model`: a decision model, and a chat model that is asked again about uncertain verdicts. The score of " +
        "such a pair is the second judge's; `metadata.first_verdict` keeps the first one, and its cost is that of both. Where the second judge " +
        "cannot be paid or gives no verdict, the first one counts: `metadata.escalation` is `unfunded` or `failed`.",
    ),
    v.examples([
      {
        first: "openai-decisions/gpt-6-luna",
        escalate: { to: "openai/gpt-5.4-mini", when: { confidence_below: 0.8 }, at_most: 0.2 },
      },
    ]),
  ),
);

/** Schema of the two judges of a run in replies; null if it has one. */
export const judgeCascadeReply = v.pipe(
  v.nullable(
    v.pipe(
      v.object({
        first: v.string(),
        escalate: v.object({
          to: v.string(),
          when: v.object({ confidence_below: v.number(), coverage_below: v.nullable(v.number()) }),
          at_most: v.number(),
        }),
      }),
      v.title("JudgeCascadeReply"),
    ),
  ),
  v.description("The judges as sent, with defaults, if they are two; null otherwise."),
);
