import {
  ceilingKinds,
  ceilingMessage,
  dollarsOf,
  reservedTotal,
  microsDown,
  microsUp,
  remainingBudget,
  type CeilingKind,
  type Ceilings,
  type Micros,
  type MonthlyCeiling,
} from "../../domain/runs/budget.ts";
import { tryAgain, withRetries, throwContention } from "../../dynamo/with-retries.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { workerRetryPolicy } from "../../dynamo/retry-policies.ts";
import { budgetName, shardKeys, budgetSums, usedByShard, type LedgerEntry } from "./items.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { spendThresholds, type BudgetUse, type ThresholdEvent } from "./thresholds.ts";
import { forfeitReservations, spendLedger, spentTargets, type SliceDelivery } from "./ledger.ts";

/** What a worker knows of its calls when it reserves, US dollars. */
export interface CallsOfReservation {
  /** Highest cost of one judgement. */
  readonly judgement: number;
  /** Highest cost of the calls that are not committed. */
  readonly uncommitted: number;
  /** Highest cost of the calls that begin next, to be noted with the reservation. */
  readonly ahead: number;
}

/** Judgements that a reservation leaves room for at least where it leaves half of the room to others. */
const judgementsInHalf = 2;

/** A worker's request to reserve money before it judges. Amounts are US dollars. */
export interface SliceReservation extends SliceDelivery {
  /** Committed cost of the slice so far, over all its deliveries, without what its dead workers forfeited. */
  readonly spent: number;
  /** Amount to reserve if the budgets have room: the estimate for all open judgements of the slice. */
  readonly maxUsd: number;
  /** Smallest useful amount: the estimate for one pair (target x metric). */
  readonly minUsd: number;
  /** Absent: all that is reserved is for one judgement, which is forfeited as a whole if the worker dies. */
  readonly calls?: CallsOfReservation;
  readonly ceilings: Ceilings;
  /** Organization of the project; null or absent where it has no ceiling or is deleted. */
  readonly organization?: string | null;
}

type ReservationResult =
  /** `usd` can be spent now in addition to `spent`; between `minUsd` and `maxUsd`. `noted`: what is stored of its `calls`. */
  | { readonly kind: "granted"; readonly usd: number; readonly noted?: number }
  | {
      readonly kind: "wait";
      readonly ceiling: CeilingKind;
      /** Reason for the wait, written for users. */
      readonly message: string;
      /**
       * True if room can appear without a change of the ceiling: a month ends, or other slices of the run return
       * unused reservations.
       */
      readonly canFreeUp: boolean;
      /** True if it is reservations of judgements in progress that fill the budget. */
      readonly isTemporary: boolean;
    }
  /** A later worker has taken the slice. */
  | { readonly kind: "superseded" };

/** Reserves and settles judging costs of slices under budgets. */
export interface SpendStore {
  /**
   * Reserves money for a slice under every ceiling, in one transaction. The reservation replaces the earlier one of the
   * same delivery; a repeated call changes nothing. What an earlier delivery did not settle is forfeited (`takeOver`). Near a ceiling
   * it takes half of what is left, as long as that is enough for two judgements.
   * Without a ceiling nothing is read or written. Reservations never exceed a ceiling; actual costs can, by the
   * amount that they exceed the estimates.
   */
  reserve(reservation: SliceReservation): Promise<ReservationResult>;
  /**
   * Takes a slice's ledger entry over from earlier deliveries: what their calls cost at most that they began and did not commit counts
   * as spent (is forfeited), because the calls of a dead worker may have been billed. Earlier workers reserve nothing more.
   *
   * @param spent committed cost of the slice, US dollars, without what its dead workers forfeited.
   * @param isAbandoned false if the last worker ended its lease, so that none of its calls is under way.
   * @returns US dollars that all earlier deliveries forfeited; the same when repeated.
   */
  takeOver(delivery: SliceDelivery, spent: number, isAbandoned?: boolean): Promise<number>;
  /**
   * Stores what calls under way cost at most, US dollars, for a slice without a ceiling. The worker that takes over from a dead one
   * counts them as spent.
   *
   * @param spent committed cost of the slice, US dollars.
   * @returns false when a later worker has the slice.
   */
  recordCalls(delivery: SliceDelivery, spent: number, calls: number): Promise<boolean>;
  /**
   * Stores what calls under a ceiling that are not committed cost at most, US dollars.
   *
   * @param noted the amount that the reservation, or the last call of this function, has stored.
   * @returns false when the reservation has ended or a later worker has the slice.
   */
  noteCalls(delivery: SliceDelivery, usd: number, noted: number): Promise<boolean>;
  /**
   * Records the slice's actual cost, `spent` US dollars over all its deliveries, and releases the rest of its
   * reservation. Does nothing when nothing was reserved or a later worker has the slice.
   */
  settle(delivery: SliceDelivery, spent: number): Promise<void>;
  /**
   * Ends the reservations of all slices of a run that does not continue: those of finished slices are released, the
   * others are forfeited.
   *
   * @param costs reads the committed cost of each finished slice, US dollars by slice id. Called only when the run has
   *   ledger entries.
   */
  endReservations(project: string, run: string, costs: () => Promise<ReadonlyMap<string, number>>): Promise<void>;
}

/** True if a slice holds exactly the amount it has spent in every budget. */
const hasNoReservation = (entry: LedgerEntry, spent: Micros): boolean =>
  [...spentTargets(entry, spent)].every(
    ([budget, { amount }]) => reservedTotal(entry.books[budget]?.takes ?? {}) === amount,
  );

/** Returns a slice's ledger entry as the delivery of `epoch` finds it: earlier deliveries forfeit their reservations. */
const takenOver = <Entry extends LedgerEntry | null>(entry: Entry, epoch: number, spent: Micros): Entry | LedgerEntry =>
  entry !== null && entry.epoch < epoch ? forfeitReservations(entry, spent) : entry;

/** Receives the used share (spent or reserved; 1 = all) of a monthly ceiling each time a reservation checks it. */
export type CeilingUsageListener = (ceiling: MonthlyCeiling, project: string, share: number) => void;

/** Reserves and settles judging costs under budgets, safe for any number of concurrent workers. */
export const spendStore = (
  database: Database,
  now: () => number = Date.now,
  random: () => number = Math.random,
  reportCeilingUsage: CeilingUsageListener = () => undefined,
  thresholdEvent: ThresholdEvent | null = null,
): SpendStore => {
  const { announceWith } = spendThresholds(thresholdEvent);
  const { readEntry, entriesOfRun, applyTargets, recordCalls, noteCalls } = spendLedger(database, now, random);

  const retryUntilWritten = <Result>(work: () => Promise<Result | typeof tryAgain>): Promise<Result> =>
    withRetries(
      workerRetryPolicy,
      throwContention("The judging budgets changed during every attempt to update them."),
      work,
      {
        random,
      },
    );

  /** True if another slice of the run holds more of the budget than it has spent. */
  const doOtherSlicesReserve = async ({ project, run, slice }: SliceDelivery, budget: string): Promise<boolean> => {
    for (const [id, entry] of await entriesOfRun(project, run)) {
      const heldAmount = reservedTotal(entry.books[budget]?.takes ?? {});
      if (id !== slice && heldAmount > (spentTargets(entry, entry.spent).get(budget)?.amount ?? 0)) return true;
    }
    return false;
  };

  const tryReserve = async (reservation: SliceReservation): Promise<ReservationResult | typeof tryAgain> => {
    const { project, run, organization = null, epoch, ceilings, calls } = reservation;
    const judgement = microsUp(calls?.judgement ?? 0);
    const at = now();
    const [spent, min] = [microsUp(reservation.spent), microsUp(reservation.minUsd)];
    const before = await readEntry(reservation);
    if (before !== null && before.epoch > epoch) return { kind: "superseded" };
    const budgets = ceilingKinds.flatMap((kind) => {
      const usd = ceilings[kind];
      if (usd === null || (kind === "organization" && organization === null)) return [];
      return [{ kind, usd, limit: microsDown(usd), name: budgetName(kind, { project, run, organization }, at) }];
    });
    const items = (
      await batchGet(
        database,
        "spend",
        budgets.flatMap(({ name }) => shardKeys(name)),
      )
    ).filter((item) => isLive(item, at));
    const entry = takenOver(before, epoch, spent);
    const spentOnly = spentTargets(entry, spent);
    let grant = microsUp(reservation.maxUsd);
    const monthly: BudgetUse[] = [];
    for (const { kind, usd, limit, name } of budgets) {
      const heldAmount = reservedTotal(before?.books[name]?.takes ?? {});
      const room = remainingBudget(limit, usedByShard(name, items)) + heldAmount - (spentOnly.get(name)?.amount ?? 0);
      const use = kind === "run" ? [] : [{ budget: name, ceiling: kind, project, limit, used: limit - room }];
      monthly.push(...use);
      if (kind !== "run") reportCeilingUsage(kind, project, limit > 0 ? 1 - room / limit : 1);
      if (room < min) {
        const isApplied = await announceWith({ uses: use, grant: 0, isExhausted: true, now: at }, async (writes) => {
          // This worker's earlier reservation must be available to others while it waits.
          if (before !== null) return await applyTargets(reservation, before, spent, spentOnly, entry?.forfeit, writes);
          return writes.length === 0 || (await succeeds(itemsOf(database, "runs").transact(writes)));
        });
        if (!isApplied) return tryAgain;
        const canFreeUp = kind !== "run" || (await doOtherSlicesReserve(reservation, name));
        const keys = new Set(shardKeys(name).map(({ pk }) => pk));
        const { used, reserved } = budgetSums(items.filter(({ pk }) => keys.has(String(pk))));
        const isTemporary = kind === "run" ? canFreeUp : limit - (used - reserved) >= min;
        const message = ceilingMessage(kind, usd, { minimum: reservation.minUsd, isTemporary }, at);
        return { kind: "wait", ceiling: kind, message, canFreeUp, isTemporary };
      }
      const half = Math.floor(room / 2);
      grant = Math.min(grant, calls !== undefined && half >= judgementsInHalf * judgement ? half : room);
    }
    const firstTries = Math.max(Math.ceil(grant / 2), Math.min(grant, judgement));
    const begun = calls && microsUp(calls.uncommitted) + Math.min(microsUp(calls.ahead), firstTries);
    const targets = new Map([...spentOnly].map(([name, target]) => [name, { ...target, isOpen: false }]));
    for (const { name, limit } of budgets) {
      const { amount, base } = spentOnly.get(name) ?? { amount: 0, base: spent };
      targets.set(name, { amount: amount + grant, base, limit, used: usedByShard(name, items), isOpen: true });
    }
    const isApplied = await announceWith({ uses: monthly, grant, isExhausted: false, now: at }, (writes) =>
      applyTargets(reservation, before, spent, targets, entry?.forfeit, writes, begun),
    );
    const noted = begun !== undefined && { noted: dollarsOf(begun) };
    return isApplied ? { kind: "granted", usd: dollarsOf(grant), ...noted } : tryAgain;
  };

  return {
    reserve: async (reservation) => {
      if (ceilingKinds.every((kind) => reservation.ceilings[kind] === null))
        return { kind: "granted", usd: reservation.maxUsd };
      return retryUntilWritten(() => tryReserve(reservation));
    },

    takeOver: async (delivery, dollars, isAbandoned = true) => {
      const spent = microsUp(dollars);
      return retryUntilWritten(async () => {
        const before = await readEntry(delivery);
        if (before !== null && before.epoch >= delivery.epoch) return dollarsOf(before.forfeit);
        const unsettled = before === null || isAbandoned ? before : { ...before, calls: undefined };
        const entry = takenOver(unsettled, delivery.epoch, spent);
        // The entry is written even if it holds nothing, so that an earlier worker is superseded.
        const isWritten = await applyTargets(delivery, before, spent, spentTargets(entry, spent), entry?.forfeit);
        return isWritten ? dollarsOf(entry?.forfeit ?? 0) : tryAgain;
      });
    },

    recordCalls: (delivery, spent, calls) => recordCalls(delivery, microsUp(spent), microsUp(calls)),

    noteCalls: (delivery, usd, noted) => noteCalls(delivery, microsUp(usd), microsUp(noted)),

    settle: async (delivery, dollars) => {
      const spent = microsUp(dollars);
      await retryUntilWritten(async () => {
        const before = await readEntry(delivery);
        if (before === null || before.epoch > delivery.epoch) return true;
        const entry = takenOver(before, delivery.epoch, spent);
        return (await applyTargets(delivery, before, spent, spentTargets(entry, spent), entry.forfeit)) || tryAgain;
      });
    },

    endReservations: async (project, run, costs) => {
      const entries = await entriesOfRun(project, run);
      if (entries.size === 0) return;
      const costBySlice = await costs();
      for (const slice of entries.keys()) {
        const cost = costBySlice.get(slice);
        await retryUntilWritten(async () => {
          const before = await readEntry({ project, run, slice, epoch: 0 });
          if (before === null) return true;
          const spent = cost === undefined ? before.spent : Math.max(before.spent, microsUp(cost));
          if (hasNoReservation(before, spent)) return true;
          const entry = cost === undefined ? forfeitReservations(before, spent) : before;
          const delivery = { project, run, slice, epoch: before.epoch };
          return (await applyTargets(delivery, before, spent, spentTargets(entry, spent), entry.forfeit)) || tryAgain;
        });
      }
    },
  };
};
