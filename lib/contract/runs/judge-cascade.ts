import * as v from "valibot";
import { cascadeFields, escalationFields, secondJudgeFields } from "../../domain/runs/cascade.ts";
import { closedObject } from "../schema/closed-object.ts";
import { requestExamples, resourceSchemas } from "../schema/resource.ts";
import { decisionModel, secondModel } from "./fields.ts";

const when = resourceSchemas(escalationFields, {
  confidence_below:
    "A verdict is uncertain if the probability of its level is lower. A refused verdict has the confidence 0.",
  coverage_below:
    "A verdict is uncertain, too, if the first judge was shown a smaller share of the trace; null: the share does not matter.",
});

const escalate = resourceSchemas(secondJudgeFields, {
  to: secondModel,
  when: v.pipe(closedObject(when.input), v.title("EscalationCondition")),
  at_most:
    "Largest share of the pairs of target and metric that is asked again, rounded down in each part of about 50 pairs that a run is divided into: the " +
    "least confident first.",
});

const cascade = resourceSchemas(cascadeFields, {
  first: decisionModel,
  escalate: v.pipe(closedObject(escalate.input), v.title("JudgeEscalation")),
});

/** Schema of the two judges of a run of traces. */
export const judgeCascade = v.pipe(
  closedObject(cascade.input),
  v.title("JudgeCascade"),
  v.description(
    "Two judges instead of `model`: a decision model, and a chat model that is asked again about uncertain verdicts. The score of " +
      "such a pair is the second judge's; `metadata.first_verdict` keeps the first one, and its cost is that of both. Where the second judge " +
      "cannot be paid or gives no verdict, the first one counts: `metadata.escalation` is `unfunded` or `failed`.",
  ),
  requestExamples([
    {
      first: "openai-decisions/gpt-6-luna",
      escalate: { to: "openai/gpt-5.4-mini", when: { confidence_below: 0.8 }, at_most: 0.2 },
    },
  ]),
);

/** Schema of the two judges of a run in replies; null if it has one. */
export const judgeCascadeReply = v.pipe(
  v.nullable(v.pipe(v.object(cascade.reply), v.title("JudgeCascadeReply"))),
  v.description("The judges as sent, with defaults, if they are two; null otherwise."),
);
