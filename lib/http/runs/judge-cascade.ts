import type { InferOutput } from "valibot";
import type { judgeCascade, judgeCascadeReply } from "../../contract/runs/judge-cascade.ts";
import type { JudgeCascade } from "../../domain/runs/cascade.ts";
import { fullModelName } from "../../domain/runs/model.ts";

/** Returns the judges of a body that are two; null if it names none. */
export const cascadeOf = (body: InferOutput<typeof judgeCascade>): JudgeCascade | null =>
  body === null || body === undefined
    ? null
    : {
        first: fullModelName(body.first),
        escalate: {
          to: fullModelName(body.escalate.to),
          when: {
            confidenceBelow: body.escalate.when.confidence_below,
            coverageBelow: body.escalate.when.coverage_below ?? null,
          },
          atMost: body.escalate.at_most,
        },
      };

/** Returns the API representation of the judges of a run or of a monitor that are two. */
export const cascadeReply = (cascade: JudgeCascade | null | undefined): InferOutput<typeof judgeCascadeReply> => {
  if (cascade === null || cascade === undefined) return null;
  const { first, escalate } = cascade;
  const { confidenceBelow, coverageBelow } = escalate.when;
  return {
    first,
    escalate: {
      to: escalate.to,
      when: { confidence_below: confidenceBelow, coverage_below: coverageBelow },
      at_most: escalate.atMost,
    },
  };
};
