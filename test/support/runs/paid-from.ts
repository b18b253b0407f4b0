import { usageOf } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { unlimited, type Purse } from "../../../lib/judge/spending/purse.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";

const withoutMoney: Verdict = {
  kind: "deferred",
  code: "judge_unavailable",
  reason: "There is no money for this judgement now.",
  retryAfter: null,
  unfunded: true,
  metadata: {},
};

/** A verdict as a judge gives it that sets so many US dollars aside before it asks, and pays what the verdict has cost. */
export const paidFrom = async (
  purse: Purse = unlimited,
  usd: number,
  judge: () => Verdict | Promise<Verdict>,
): Promise<Verdict> => {
  const pocket = await purse.setAside({ most: usd, enough: usd, least: usd });
  if (pocket === null) return withoutMoney;
  try {
    const verdict = await judge();
    pocket.spend(usageOf(verdict.metadata).cost ?? 0);
    return verdict;
  } finally {
    pocket.close();
  }
};
