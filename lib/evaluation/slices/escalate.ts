import { mapConcurrently } from "../../async/concurrency.ts";
import { selectEscalated, type JudgeCascade } from "../../domain/runs/cascade.ts";
import { escalatedVerdict, waitingVerdict } from "../../judge/decision/escalation.ts";
import type { HeldVerdicts, PairVerdict } from "./target-work.ts";

/** The verdicts of a delivery among which pairs are selected. */
interface EscalationRequest {
  /** Verdicts of calls with an uncertain one. */
  readonly heldVerdicts: readonly HeldVerdicts[];
  readonly rule: JudgeCascade["escalate"];
  /** Pairs of the slice that are settled. */
  readonly settled: number;
  /** Pairs of the slice that were asked again before. */
  readonly escalated: number;
  /** Calls, and targets that are read, at a time. */
  readonly maxConcurrent: number;
  /** True if another judgement may start. */
  readonly canStart: () => boolean;
}

/**
 * Asks the second judge about the least confident of the uncertain verdicts, as many as the rule allows, and settles all. Pairs
 * that it cannot be asked about now are deferred with the expense of their first verdicts.
 */
export const escalate = async ({
  heldVerdicts,
  rule,
  settled,
  escalated,
  maxConcurrent,
  canStart,
}: EscalationRequest): Promise<void> => {
  const uncertainPairs = heldVerdicts.flatMap(({ uncertain }) =>
    Array.from(uncertain, ([pair, confidence]) => ({ pair, confidence })),
  );
  const judged = heldVerdicts.reduce((count, { verdicts }) => count + verdicts.length, settled);
  const selected = selectEscalated(uncertainPairs, rule, judged, escalated);
  await mapConcurrently(heldVerdicts, maxConcurrent, async ({ verdicts, askAgain, settle }) => {
    const members = verdicts.filter(({ pair }) => selected.has(pair));
    const secondVerdicts = members.length === 0 ? new Map<number, never>() : await askAgain(members, canStart);
    const joinedVerdict = (pairVerdict: PairVerdict): PairVerdict => {
      if (!selected.has(pairVerdict.pair)) return pairVerdict;
      const [first, second] = [pairVerdict.verdict, secondVerdicts.get(pairVerdict.pair)];
      return {
        ...pairVerdict,
        verdict: second === undefined ? waitingVerdict(first) : escalatedVerdict(first, second),
      };
    };
    settle(verdicts.map(joinedVerdict));
  });
};
