import { usageOf } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { unlimitedBudget, type JudgeBudget } from "../../../lib/judge/spending/judge-budget.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";

const withoutMoney: Verdict = {
  kind: "deferred",
  code: "judge_unavailable",
  reason: "There is no money for this judgement now.",
  retryAfter: null,
  unfunded: true,
  metadata: {},
};

/** Runs a judgement like a real judge: reserves an amount in US dollars and begins a call first, and spends the verdict's cost. */
export const paidVerdict = async (
  budget: JudgeBudget = unlimitedBudget,
  usd: number,
  judge: () => Verdict | Promise<Verdict>,
): Promise<Verdict> => {
  const reservation = await budget.reserve({ max: usd, likely: usd, min: usd });
  if (reservation === null) return withoutMoney;
  try {
    const end = await reservation.begin(usd);
    const verdict = await judge();
    end(usageOf(verdict.metadata).cost ?? 0);
    return verdict;
  } finally {
    reservation.close();
  }
};
