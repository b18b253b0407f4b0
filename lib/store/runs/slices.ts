import type { PendingEvent } from "../../domain/event.ts";
import type { Doubts } from "../../domain/runs/doubts.ts";
import type { JudgeUsage } from "../../domain/runs/run.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions, ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf, type Item, type Write } from "../../dynamo/items.ts";
import { workerRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwContention, withRetries } from "../../dynamo/with-retries.ts";
import { outboxWrites } from "../events/outbox.ts";
import { countCost, type CountedRun } from "./count-cost.ts";
import { heldJudgementReader, type ReadHeldJudgements } from "./held-judgements.ts";
import { sliceKey } from "./keys.ts";
import { packDoubts, unpackSlice, type StoredSlice } from "./slice-codec.ts";
import { packUsage } from "./codec.ts";

/** Milliseconds after which a worker that does not renew its lease counts as dead. */
export const leaseMilliseconds = 30_000;

/** Result of claiming a slice. Each claim increases the slice's epoch, so that the writes of earlier workers fail. */
type Claim =
  | { readonly kind: "claimed"; readonly slice: StoredSlice }
  /**
   * Leased by another worker, or not to be retried before `until` (epoch milliseconds). If `asleep` is true, the
   * slice's queue message must be deleted; if `borrowed` is true, it must be kept, because the current worker received
   * another slice's message.
   */
  | {
      readonly kind: "busy";
      readonly until: number;
      readonly isLeased: boolean;
      readonly asleep: boolean;
      readonly borrowed: boolean;
    }
  /** Finished, or its run is deleted. */
  | { readonly kind: "over" };

/** State in which a worker releases an unfinished slice. */
interface ReleasedState {
  /** Epoch milliseconds before which the slice must not be retried. */
  readonly until: number;
  /** Deliveries of the slice's queue message since the slice last made progress. */
  readonly fruitless: number;
  /** Epoch milliseconds since which the judge's provider is unavailable; null when it is available. */
  readonly awaySince: number | null;
  /** Reason for waiting, written for users; null when there is none. */
  readonly waiting: string | null;
  /** Consecutive times that no budget was available. */
  readonly waits: number;
  /**
   * True if the slice's message is deleted from the queue: then the sweeper (the scheduled maintenance function) sends
   * the slice again at `until`.
   */
  readonly asleep: boolean;
  /** Doubts about pairs; those that the slice has if absent. */
  readonly doubts?: Doubts;
  /** Judge usage of the slice so far. */
  readonly usage: JudgeUsage;
  /** Run of the slice, for the month's totals of cost. */
  readonly run: CountedRun;
  /** Event about the wait; absent for none. */
  readonly event?: PendingEvent | undefined;
}

/** Claim result for a slice that cannot be claimed now. @param storedSlice null when the slice is deleted. */
export const claimRefusal = (storedSlice: StoredSlice | null): Exclude<Claim, { readonly kind: "claimed" }> => {
  if (storedSlice?.slice.state !== "open") return { kind: "over" };
  const { until, isLeased, asleep, borrowed } = storedSlice;
  return { kind: "busy", until, isLeased, asleep, borrowed };
};

/** Leases of workers on the slices of runs. */
export interface Slices {
  /**
   * Claims a slice for a worker.
   *
   * @param borrowed true if the worker received another slice's message and has no message of this slice.
   */
  claim(project: string, run: string, slice: string, borrowed?: boolean): Promise<Claim>;
  /** Renews a lease. @returns false when it was lost. */
  renew(storedSlice: StoredSlice): Promise<boolean>;
  /** Checks a lease: false when another worker has the slice or the run is deleted. */
  hasLease(storedSlice: StoredSlice): Promise<boolean>;
  /** Reads the first verdicts of a slice that wait for a second judge. */
  readonly heldJudgements: ReadHeldJudgements;
  /** Releases an unfinished slice. */
  release(storedSlice: StoredSlice, state: ReleasedState): Promise<void>;
}

export const sliceStore = (database: Database, now: () => number = Date.now): Slices => {
  const runs = itemsOf(database, "runs");

  const updateWhileLeased = async (
    { slice: { projectId, runId, id }, epoch }: StoredSlice,
    change: string,
    values: Item,
    writesOf: () => readonly Write[] = () => [],
  ) => {
    const update = sliceKey(projectId, runId, id);
    const condition = {
      when: "epoch = :epoch AND #state = :open",
      values: { ...values, ":epoch": epoch, ":open": "open" },
    };
    if (writesOf().length === 0) return (await ifConditionHolds(runs.update(update, change, condition))) !== null;
    const contention = throwContention("The month's totals changed during every attempt to release a slice.");
    const failed = await withRetries(workerRetryPolicy, contention, () =>
      failedConditions(runs.transact([{ update, change, ...condition }, ...writesOf()])),
    );
    return failed.size === 0;
  };

  return {
    claim: async (project, run, slice, borrowed = false) => {
      const key = sliceKey(project, run, slice);
      const change = `SET epoch = epoch + :one, fruitless = fruitless + :one, #until = :until, abandoned = if_not_exists(held, :free), held = :held${
        borrowed ? ", borrowed = :borrowed REMOVE asleep" : " REMOVE asleep, borrowed"
      }`;
      const reply = await ifConditionHolds(
        runs.update(key, change, {
          when: "#state = :open AND #until <= :now",
          values: {
            ":one": 1,
            ":open": "open",
            ":now": now(),
            ":until": now() + leaseMilliseconds,
            ":held": true,
            ":free": false,
            ":borrowed": true,
          },
          ReturnValues: "ALL_NEW",
        }),
      );
      if (reply !== null) return { kind: "claimed", slice: unpackSlice(reply.Attributes ?? {}) };
      const item = await runs.get(key);
      return claimRefusal(item === undefined ? null : unpackSlice(item));
    },

    renew: (storedSlice) =>
      updateWhileLeased(storedSlice, "SET #until = :until", { ":until": now() + leaseMilliseconds }),

    hasLease: async ({ slice: { projectId, runId, id }, epoch }) => {
      const item = await runs.get(sliceKey(projectId, runId, id));
      if (item === undefined) return false;
      const current = unpackSlice(item);
      return current.epoch === epoch && current.slice.state === "open";
    },

    heldJudgements: heldJudgementReader(database),

    release: async (storedSlice, state) => {
      const { until, fruitless, awaySince, waiting, waits, asleep, usage, run, event } = state;
      const { doubts = storedSlice.doubts } = state;
      const attributes: Item = {
        ...(awaySince === null ? {} : { away_since: awaySince }),
        ...(waiting === null ? {} : { waiting }),
        ...(waits === 0 ? {} : { waits }),
        ...(asleep ? { asleep } : {}),
        ...(doubts.size === 0 ? {} : { doubts: packDoubts(doubts) }),
      };
      const sets = Object.keys(attributes).map((name) => `, ${name} = :${name}`);
      const removedAttributes = ["held", "borrowed", "away_since", "waiting", "waits", "asleep", "doubts"].filter(
        (name) => !Object.hasOwn(attributes, name),
      );
      const costOf = () => countCost(run, storedSlice, usage, now());
      const expression = `SET #until = :until, fruitless = :fruitless, used = :used, counted = :counted${sets.join("")} REMOVE ${removedAttributes.join(", ")}`;
      const values = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value]));
      const changes = {
        ...values,
        ":until": until,
        ":fruitless": fruitless,
        ":used": packUsage(usage),
        ":counted": costOf().counted,
      };
      await updateWhileLeased(storedSlice, expression, changes, () => [...costOf().writes, ...outboxWrites(event)]);
    },
  };
};
