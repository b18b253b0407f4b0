import * as v from "valibot";
import { roundDollars } from "../../domain/runs/budget.ts";
import type { Verdict } from "../verdict/verdict.ts";

const sharedCostFields = v.object({
  cost_usd: v.nullish(v.number(), null),
  shared_call: v.object({ questions: v.number() }),
});

/**
 * Divides the cost of one call among its verdicts by the number of their questions. The metadata of the first verdict has the
 * whole cost.
 *
 * @param verdicts verdicts of one call, or of a call and a second one that rests on it.
 * @returns by verdict, the US dollars by which its part differs from the cost in its metadata; the sum is 0. All are 0 if the price
 *   is unknown or no verdict has a number of questions.
 */
export const sharedCostShifts = (verdicts: readonly Verdict[]): readonly number[] => {
  const members = verdicts.map((verdict) => {
    const { output, success } = v.safeParse(sharedCostFields, verdict.metadata);
    return success && verdict.kind !== "deferred" && output.cost_usd !== null
      ? { cost: output.cost_usd, questions: output.shared_call.questions }
      : { cost: 0, questions: 0 };
  });
  const sum = (figure: "cost" | "questions"): number => members.reduce((total, member) => total + member[figure], 0);
  const [cost, questions] = [sum("cost"), sum("questions")];
  return members.map((member) =>
    questions === 0 ? 0 : roundDollars((cost * member.questions) / questions - member.cost),
  );
};
