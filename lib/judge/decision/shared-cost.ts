import * as v from "valibot";
import { roundDollars } from "../../domain/runs/budget.ts";
import type { Verdict } from "../verdict/verdict.ts";

const sharedCostFields = v.object({
  cost_usd: v.nullish(v.number(), null),
  shared_call: v.object({ id: v.string(), questions: v.number() }),
});

const noPart = { id: null, cost: 0, questions: 0 } as const;

/**
 * Divides the cost of calls among their verdicts by the number of their questions. The metadata of a call's first verdict has its
 * whole cost.
 *
 * @param verdicts verdicts of one call, or of a call and a second one that rests on it, with the id of theirs.
 * @returns by verdict, the US dollars by which its part differs from the cost in its metadata; the sum is 0. All are 0 if the price
 *   is unknown or no verdict has a number of questions.
 */
export const sharedCostShifts = (verdicts: readonly Verdict[]): readonly number[] => {
  const members = verdicts.map((verdict) => {
    const { output, success } = v.safeParse(sharedCostFields, verdict.metadata);
    return success && verdict.kind !== "deferred" && output.cost_usd !== null
      ? { cost: output.cost_usd, ...output.shared_call }
      : noPart;
  });
  return members.map((member) => {
    const ofCall = members.filter(({ id }) => id === member.id);
    const sum = (figure: "cost" | "questions"): number => ofCall.reduce((total, each) => total + each[figure], 0);
    const questions = sum("questions");
    return questions === 0 ? 0 : roundDollars((sum("cost") * member.questions) / questions - member.cost);
  });
};
