import { isSettled } from "../../domain/runs/pair-bits.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import { nextMonth, unpricedMessage, type CeilingKind, type Ceilings } from "../../domain/runs/spend.ts";
import { signalNames } from "../../domain/scores/signals.ts";
import type { Price } from "../../judge/prices/price.ts";
import type { Spend } from "../../store/spend/spend.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";

/**
 * The first and the longest pause before a slice that waits for money is tried again, in milliseconds: for other slices of its
 * run, and for a budget, whose ceiling may be raised and whose money others may give back. Each is twice the one before.
 */
const pauses = {
  run: { first: 10_000, longest: 300_000 },
  project: { first: 300_000, longest: 3_600_000 },
  deployment: { first: 300_000, longest: 3_600_000 },
} as const;

/** When a slice that has waited so often is tried again, epoch milliseconds. A month's budget is new when the month is. */
const afterWait = (ceiling: CeilingKind, waits: number, now: number): number => {
  const { first, longest } = pauses[ceiling];
  const until = now + Math.min(longest, first * 2 ** waits);
  return ceiling === "run" ? until : Math.min(until, nextMonth(now));
};

/** What a slice may spend. */
export type SliceBudget =
  | {
      readonly kind: "granted";
      /** Whether there is money for one more judgement. */
      readonly covers: () => boolean;
      /** Says that a judgement is begun. */
      readonly take: () => void;
      /** Books what the slice has cost, US dollars over all its deliveries. */
      readonly close: (spent: number) => Promise<void>;
    }
  /** Not before `until`, epoch milliseconds; `message` in words for a user. */
  | { readonly kind: "wait"; readonly until: number; readonly message: string }
  /** There will never be any. */
  | { readonly kind: "end"; readonly message: string }
  /** A later worker has the slice. */
  | { readonly kind: "superseded" };

export interface Spending {
  readonly spend: Spend;
  readonly priceOf: (model: string) => Price | null;
  /** US dollars that one judgement costs at most, as a rule. */
  readonly leastOf: (price: Price) => number;
  /** The operator's. */
  readonly ceilings: Pick<Ceilings, "project" | "deployment">;
}

const unlimited = { covers: () => true, take: () => undefined, close: async () => undefined };

/** How many judgements a slice may still need: its unsettled pairs, or every signal of the traces of sessions with such. */
const judgementsNeeded = ({ metrics, targetType }: RunOrder, { targets, traces, bits }: Slice): number => {
  let needed = 0;
  for (const target of targets.keys()) {
    const pairs = metrics.filter((_, metric) => !isSettled(bits, target * metrics.length + metric)).length;
    if (targetType === "TRACE") needed += pairs;
    else if (pairs > 0) needed += Math.max(1, traces[target] ?? 0) * signalNames.length;
  }
  return needed;
};

/** Reserves what a slice may spend. Without a ceiling there is nothing to reserve. */
export const sliceBudget = async (
  { spend, priceOf, leastOf, ceilings: given }: Spending,
  order: RunOrder,
  { slice, epoch, waits }: StoredSlice,
  now: number,
): Promise<SliceBudget> => {
  const ceilings: Ceilings = { ...given, run: order.maxCostUsd };
  if (Object.values(ceilings).every((ceiling) => ceiling === null)) return { kind: "granted", ...unlimited };
  const price = priceOf(order.resolvedModel);
  if (price === null) return { kind: "end", message: unpricedMessage(order.resolvedModel) };
  const least = leastOf(price);
  const delivery = { project: order.projectId, run: order.id, slice: slice.id, epoch };
  const spent = slice.usage.cost ?? 0;
  const want = Math.max(1, judgementsNeeded(order, slice)) * least;
  const reserved = await spend.reserve({ ...delivery, spent, want, least, ceilings });
  if (reserved.kind === "superseded") return reserved;
  if (reserved.kind === "wait") {
    const { ceiling, message, mayFree } = reserved;
    return mayFree ? { kind: "wait", until: afterWait(ceiling, waits, now), message } : { kind: "end", message };
  }
  let taken = 0;
  // A sum of estimates may miss the grant by what doubles cannot hold.
  const granted = reserved.usd * (1 + 1e-9);
  return {
    kind: "granted",
    covers: () => taken + least <= granted,
    take: () => {
      taken += least;
    },
    close: (total) => spend.settle(delivery, total),
  };
};
