import { isSettled } from "../../domain/runs/pair-bits.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import { nextMonth, unpricedMessage, type CeilingKind, type Ceilings } from "../../domain/runs/spend.ts";
import { signalNames } from "../../domain/scores/signals.ts";
import { chargedOf } from "../../domain/runs/judge-usage.ts";
import type { Price } from "../../judge/prices/price.ts";
import { unlimited, type Purse } from "../../judge/spending/purse.ts";
import { LostLease } from "../../store/runs/settlement.ts";
import type { Spend } from "../../store/spend/spend.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { sliceLedger, type Grow } from "./slice-ledger.ts";

/**
 * The first and the longest pause before a slice that waits for money is tried again, in milliseconds: for other slices of its
 * run, and for a budget, whose ceiling may be raised and whose money others may give back. Each is twice the one before.
 */
const pauses = {
  run: { first: 10_000, longest: 300_000 },
  project: { first: 300_000, longest: 3_600_000 },
  organization: { first: 300_000, longest: 3_600_000 },
  deployment: { first: 300_000, longest: 3_600_000 },
} as const;

/** When a slice that has waited so often is tried again, epoch milliseconds. A month's budget is new when the month is. */
const afterWait = (ceiling: CeilingKind, waits: number, now: number): number => {
  const { first, longest } = pauses[ceiling];
  const until = now + Math.min(longest, first * 2 ** waits);
  return ceiling === "run" ? until : Math.min(until, nextMonth(now));
};

/** Why a slice goes no further, in words for a user. */
type Shortage =
  /** It is to be tried again then, epoch milliseconds. */
  | { readonly kind: "wait"; readonly until: number; readonly message: string }
  /** There will never be any money. */
  | { readonly kind: "end"; readonly message: string };

/** What one delivery of a slice may spend. */
export interface SliceBudget {
  readonly purse: Purse;
  /** What kept it from beginning a judgement; null: nothing. */
  readonly shortage: () => Shortage | null;
  /** Books what the slice has cost, US dollars over all its deliveries. */
  readonly close: (spent: number) => Promise<void>;
}

export interface Spending {
  readonly spend: Spend;
  readonly priceOf: (model: string) => Price | null;
  /** The operator's. */
  readonly ceilings: Omit<Ceilings, "run">;
  /** The organization of a project; null when it is gone. Asked where organizations have a ceiling. */
  readonly organizationOf: (project: string) => Promise<string | null>;
}

/** What of a run its money depends on. */
export type FundedRun = Pick<RunOrder, "id" | "projectId" | "metrics" | "targetType" | "maxCostUsd">;

/** What of a slice its money depends on. */
export interface FundedSlice extends Pick<StoredSlice, "epoch" | "waits"> {
  readonly slice: Pick<Slice, "id" | "targets" | "traces" | "bits" | "usage">;
}

/** What a delivery may do. */
interface Delivered {
  /** Judgements at a time. */
  readonly places: number;
  readonly mayStart: () => boolean;
  readonly now: () => number;
}

const withoutCeiling: SliceBudget = { purse: unlimited, shortage: () => null, close: async () => undefined };

/** How many judgements a slice may still need: its unsettled pairs, or every signal of the traces of sessions with such. */
const judgementsNeeded = (
  { metrics, targetType }: FundedRun,
  { targets, traces, bits }: FundedSlice["slice"],
): number => {
  let needed = 0;
  for (const target of targets.keys()) {
    const pairs = metrics.filter((_, metric) => !isSettled(bits, target * metrics.length + metric)).length;
    if (targetType === "TRACE") needed += pairs;
    else if (pairs > 0) needed += Math.max(1, traces[target] ?? 0) * signalNames.length;
  }
  return needed;
};

const ceilingsOf = ({ ceilings }: Spending, { maxCostUsd }: Pick<RunOrder, "maxCostUsd">): Ceilings => ({
  ...ceilings,
  run: maxCostUsd,
});

const isHeld = (ceilings: Ceilings): boolean => Object.values(ceilings).some((ceiling) => ceiling !== null);

/** Why a run can never be judged by a model under its ceilings, in words for an operator; null when it can. */
export const unpriced = (spending: Spending, order: Pick<RunOrder, "maxCostUsd">, model: string): string | null =>
  isHeld(ceilingsOf(spending, order)) && spending.priceOf(model) === null ? unpricedMessage(model) : null;

/** The money of a delivery of a slice. Nothing is reserved before a judgement needs it, and without a ceiling nothing is. */
export const sliceBudget = (
  spending: Spending,
  order: FundedRun,
  { slice, epoch, waits }: FundedSlice,
  { places, mayStart, now }: Delivered,
): SliceBudget => {
  const ceilings = ceilingsOf(spending, order);
  if (!isHeld(ceilings)) return withoutCeiling;
  const { spend, organizationOf } = spending;
  const delivery = { project: order.projectId, run: order.id, slice: slice.id, epoch };
  const before = chargedOf(slice.usage);
  let refused: { readonly ceiling: CeilingKind; readonly message: string } | null = null;
  const grow: Grow = async (spent, want, least) => {
    const organization = ceilings.organization === null ? null : await organizationOf(order.projectId);
    const reserved = await spend.reserve({ ...delivery, organization, spent: before + spent, want, least, ceilings });
    if (reserved.kind === "superseded") throw new LostLease();
    if (reserved.kind === "granted") return reserved;
    refused = reserved;
    return { kind: "short", mayFree: reserved.mayFree };
  };
  const ledger = sliceLedger({ grow, needed: judgementsNeeded(order, slice), places, mayStart });
  return {
    purse: ledger.purse,
    shortage: () => {
      const dry = ledger.dry();
      if (dry === null || refused === null) return null;
      const { ceiling, message } = refused;
      const pauses = ledger.spent() > 0 ? 0 : waits;
      return dry.mayFree
        ? { kind: "wait", until: afterWait(ceiling, pauses, now()), message }
        : { kind: "end", message };
    },
    close: (spent) => spend.settle(delivery, spent),
  };
};
