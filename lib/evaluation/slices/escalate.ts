import { mapConcurrently } from "../../async/concurrency.ts";
import { selectEscalated, type HeldJudgement, type JudgeCascade } from "../../domain/runs/cascade.ts";
import { noUsage } from "../../domain/runs/run.ts";
import { escalatedVerdict, keptJudgement } from "../../judge/decision/escalation.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import { usageOf } from "./settled-pairs.ts";
import type { HeldTarget } from "./target-work.ts";

/** The first verdicts of a delivery among which pairs are selected. */
interface EscalationRequest {
  /** Targets with uncertain verdicts. */
  readonly targets: readonly HeldTarget[];
  readonly rule: JudgeCascade["escalate"];
  /** Pairs of the slice that are settled. */
  readonly settled: number;
  /** Pairs of the slice that were asked again before. */
  readonly escalated: number;
  /** Calls, and targets that are read, at a time. */
  readonly maxConcurrent: number;
  /** True if another judgement may start. */
  readonly canStart: () => boolean;
  /** True if no money for another judgement will become free soon. */
  readonly isUnfundable: () => boolean;
}

/** Usage of a pair that the second judge was asked about, beyond that of its first verdict. */
const escalatedUsage = (second?: Verdict) => ({ ...usageOf(second?.metadata ?? {}), escalated: 1 });

/** Settles or defers a pair by the verdict of the second judge; undefined if it was not asked. */
const settleSecond = (
  { settle, defer, judgementOf }: HeldTarget,
  { pair, judgement }: HeldJudgement,
  second: Verdict | undefined,
  isUnfundable: () => boolean,
): void => {
  if (second?.kind === "scored")
    settle(pair, judgementOf(pair, escalatedVerdict(judgement, second)), escalatedUsage(second));
  else if (second?.kind === "failed") settle(pair, keptJudgement(judgement, "failed", second), escalatedUsage(second));
  else if ((second === undefined || second.unfunded) && isUnfundable())
    settle(pair, keptJudgement(judgement, "unfunded", second), usageOf(second?.metadata ?? {}));
  else if (second !== undefined) defer(pair, second);
};

/**
 * Asks the second judge about the least confident of the uncertain verdicts, as many as the rule allows, and settles all. A first
 * verdict counts where the second judge fails for good or cannot be paid. Pairs that it cannot be asked about now stay stored.
 */
export const escalate = async ({
  targets,
  rule,
  settled,
  escalated,
  maxConcurrent,
  canStart,
  isUnfundable,
}: EscalationRequest): Promise<void> => {
  const uncertainPairs = targets.flatMap(({ judgements }) => judgements);
  const selected = selectEscalated(uncertainPairs, rule, settled + uncertainPairs.length, escalated);
  await mapConcurrently(targets, maxConcurrent, async (target) => {
    const members = target.judgements.filter(({ pair }) => selected.has(pair));
    for (const { pair, judgement } of target.judgements)
      if (!selected.has(pair)) target.settle(pair, judgement, noUsage);
    if (members.length === 0) return;
    const secondVerdicts = await target.askAgain(
      members.map(({ pair }) => pair),
      canStart,
    );
    for (const member of members) settleSecond(target, member, secondVerdicts.get(member.pair), isUnfundable);
  });
};
