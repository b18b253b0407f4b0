import * as v from "valibot";
import { unknownWindows, type AlertWindows } from "../../domain/alerts/alert-windows.ts";
import { alertVerdicts, type Evaluation } from "../../domain/alerts/evaluate.ts";
import {
  alertStates,
  alertTransitions,
  firstState,
  type AlertState,
  type AlertTransition,
} from "../../domain/alerts/state.ts";
import type { PendingEvent } from "../../domain/event.ts";
import { instantAt } from "../../domain/instant.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds, succeeds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf, type Write, type Item } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwUnavailable, tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import { outboxWrite } from "../events/outbox.ts";
import { dueAlertsPartition, historyKey, historyOf, ruleOfState, stateKey, statesOf } from "./keys.ts";

/** Milliseconds after the end of a window until it is evaluated: its last records have passed the stream by then. */
export const windowGraceMilliseconds = 30_000;

/** Milliseconds after its end for which a window is kept: a week, in which it is a baseline, and a day. */
export const keptSumMilliseconds = 8 * 86_400_000;

/** Attributes by which a rule is evaluated after the end of a window, or at once if that has passed. */
export const dueAlertFields = (end: number, now: number) => ({
  due_key: dueAlertsPartition,
  due_at: instantAt(Math.max(end, now) + windowGraceMilliseconds),
});

const evaluation = v.object({
  verdict: v.picklist(alertVerdicts),
  value: v.nullable(v.number()),
  reference: v.nullable(v.number()),
  count: v.number(),
  referenceCount: v.nullable(v.number()),
  interval: v.nullable(v.object({ lower: v.nullable(v.number()), upper: v.nullable(v.number()) })),
  detectable: v.optional(v.nullable(v.number())),
  reason: v.optional(v.nullable(v.string())),
});

/** An evaluation as stored; an infinite end of an interval is null. */
export type StoredEvaluation = v.InferOutput<typeof evaluation>;

const packedState = v.object({
  name: v.picklist(alertStates),
  windowEnd: v.number(),
  calm: v.number(),
  notifiedAt: v.nullable(v.number()),
  // States of an earlier version do not have it.
  since: v.optional(v.nullable(v.number()), null),
  evaluation: v.nullable(evaluation),
});

const stateItem = v.object({
  sk: v.string(),
  rev: v.number(),
  d: v.optional(v.string()),
  gaps: v.optional(v.set(v.number()), new Set<number>()),
  late: v.optional(v.set(v.number()), new Set<number>()),
  unread: v.optional(v.set(v.string()), new Set<string>()),
  alerts: v.optional(v.instance(Uint8Array)),
});
const historyItem = v.object({ d: v.string() });
const dueItem = v.object({ pk: v.string(), sk: v.string() });

/** A rule's state and the numbers of the window that decided last. */
export interface StoredState {
  readonly state: AlertState;
  readonly evaluation: StoredEvaluation | null;
  /** Increases with every write: the optimistic lock. */
  readonly revision: number;
  /** Ends of windows whose sums lack data, as a worker could not add them. */
  readonly gaps: ReadonlySet<number>;
  /** Ends of windows whose sums changed after they had ended. */
  readonly late: ReadonlySet<number>;
  readonly alertWindows: AlertWindows;
  /** Ids of low scores that are announced once their traces can be read. */
  readonly unread: ReadonlySet<string>;
}

const unpackWindows = (bytes: Uint8Array): AlertWindows => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

const packWindows = (windows: AlertWindows): Uint8Array => {
  const digits = windows.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
};

const unpackState = (item: unknown): StoredState & { readonly sk: string } => {
  const { sk, rev: revision, d, gaps, late, alerts, unread } = v.parse(stateItem, item);
  const unknown = d === undefined ? 0n : unknownWindows;
  const fields = {
    sk,
    revision,
    gaps,
    late,
    unread,
    alertWindows: alerts === undefined ? unknown : unpackWindows(alerts),
  };
  if (d === undefined) return { ...fields, state: firstState, evaluation: null };
  const { evaluation: last, ...state } = v.parse(packedState, JSON.parse(d));
  return { ...fields, state, evaluation: last };
};

const statesById = (items: readonly unknown[]): ReadonlyMap<string, StoredState> =>
  new Map(
    items.map(unpackState).map(({ sk, ...stored }): [string, StoredState] => [ruleOfState({ pk: "", sk }).id, stored]),
  );

/** A rule by its project and id. */
export interface RuleId {
  readonly project: string;
  readonly id: string;
}

/** Max changes that a history lists. */
const maxChanges = 1000;

/** A change of state with the numbers of the window that decided. */
const change = v.object({
  transition: v.picklist(alertTransitions),
  end: v.number(),
  evaluation,
  // Changes of an earlier version do not have it.
  late: v.optional(v.boolean(), false),
});

export type AlertChange = v.InferOutput<typeof change>;

/** A change of state to store. */
export interface Transition {
  readonly transition: AlertTransition;
  readonly end: number;
  readonly evaluation: Evaluation | StoredEvaluation;
  /** True if data decided that arrived after the window was evaluated, or should have been. */
  readonly late?: boolean;
}

/** Returns the change that clears an alert for a reason beside its windows; null if none is raised. @param now epoch milliseconds. */
export const clearingOf = (stored: StoredState | null, reason: string, now: number): Transition | null =>
  stored?.state.name === "ALERT" && stored.evaluation !== null
    ? { transition: "cleared", end: now, evaluation: { ...stored.evaluation, reason } }
    : null;

/** State of a rule after it is cleared for a reason beside its windows. */
export const clearedState = (state: AlertState, now: number): AlertState => ({
  ...state,
  name: "NO_DATA",
  calm: 0,
  notifiedAt: null,
  since: now,
});

/** Condition on the revision of a state that was read; null if there was none. */
export const ifStateUnchanged = (stored: StoredState | null) =>
  stored === null ? { when: ifAbsent } : { when: "rev = :rev", values: { ":rev": stored.revision } };

/** Packs a state with the numbers of the window that decided last. */
export const packState = (state: AlertState, evaluation: Evaluation | StoredEvaluation | null): string =>
  JSON.stringify({ ...state, evaluation });

/** Seconds that a change of state is stored: 90 days. */
const historySeconds = 90 * 86_400;

/** Returns the write of a change of state, once. @param now epoch milliseconds. */
export const historyWrite = (project: string, id: string, each: Transition, now: number): Write => ({
  put: {
    ...historyKey(project, id, each),
    d: JSON.stringify(each),
    ttl: Math.ceil(now / 1000) + historySeconds,
  },
  when: ifAbsent,
});

/** Store of the states of alert rules. */
export const alertStateStore = (database: Database, now: () => number = Date.now) => {
  const monitors = itemsOf(database, "monitors");

  const get = async (project: string, id: string): Promise<StoredState | null> => {
    const item = await monitors.get(stateKey(project, id));
    return item === undefined ? null : unpackState(item);
  };

  /** Adds values to sets of a state, and makes its rule due after an instant unless it is due earlier. */
  const addAndArm = async (key: ReturnType<typeof stateKey>, end: number, add: string, sets: Item): Promise<void> => {
    const { due_key, due_at } = dueAlertFields(end, now());
    const values = { ":one": 1, ...sets };
    const isDue = await ifConditionHolds(
      monitors.update(key, `SET due_key = :key, due_at = :at ADD rev :one${add}`, {
        when: "attribute_not_exists(due_at) OR due_at >= :at",
        values: { ...values, ":key": due_key, ":at": due_at },
      }),
    );
    if (isDue === null) await monitors.update(key, `ADD rev :one${add}`, { values });
  };

  return {
    /** Reads a rule's state, strongly consistent; null if the rule has none. */
    get,

    /** Reads the states of some rules, strongly consistent, by their ids; a rule without one is left out. */
    many: async (rules: readonly RuleId[]): Promise<ReadonlyMap<string, StoredState>> => {
      const keys = rules.map(({ project, id }) => stateKey(project, id));
      return statesById(await batchGet(database, "monitors", keys));
    },

    /** Reads the states of all rules of a project and of the built-in alerts of its monitors, by their ids. */
    all: async (project: string): Promise<ReadonlyMap<string, StoredState>> => {
      const items: unknown[] = [];
      for await (const item of monitors.query(statesOf(project))) items.push(item);
      return statesById(items);
    },

    /** Makes a rule due after the end of a window whose sums changed, unless it is due earlier; one that has ended is noted. */
    arm: async (project: string, id: string, end: number): Promise<void> => {
      if (end > now()) await addAndArm(stateKey(project, id), end, "", {});
      else await addAndArm(stateKey(project, id), end, ", late :ends", { ":ends": new Set([end]) });
    },

    /** Notes low scores whose traces could not be read, and makes the rule due. */
    noteUnread: (project: string, id: string, scores: ReadonlySet<string>): Promise<void> =>
      addAndArm(stateKey(project, id), now(), ", unread :scores", { ":scores": scores }),

    /** Notes that the sums of windows of a rule lack data: they change no state. */
    noteGaps: async (project: string, id: string, ends: ReadonlySet<number>): Promise<void> => {
      await monitors.update(stateKey(project, id), "ADD gaps :ends, rev :one", {
        values: { ":ends": ends, ":one": 1 },
      });
    },

    /**
     * Stores a state with its changes, each once, and the events about them.
     *
     * @param revision of the state that was read; null if there was none.
     * @param nextEnd end of the window after which the rule is due again; null if new data make it due.
     * @returns false when another worker was faster, or new data have arrived.
     */
    put: (
      project: string,
      id: string,
      after: {
        readonly state: AlertState;
        readonly evaluation: Evaluation | StoredEvaluation | null;
        readonly gaps?: ReadonlySet<number>;
        readonly late?: ReadonlySet<number>;
        readonly alertWindows?: AlertWindows;
        readonly unread?: ReadonlySet<string>;
      },
      {
        revision,
        nextEnd,
        changes,
        events,
      }: {
        readonly revision: number | null;
        readonly nextEnd: number | null;
        readonly changes: readonly Transition[];
        readonly events: readonly PendingEvent[];
      },
    ): Promise<boolean> => {
      const gaps = [...(after.gaps ?? [])].filter((end) => end > now() - keptSumMilliseconds);
      const item: Item = {
        ...stateKey(project, id),
        d: packState(after.state, after.evaluation),
        rev: (revision ?? 0) + 1,
        ...(nextEnd !== null && dueAlertFields(nextEnd, 0)),
        ...(gaps.length > 0 && { gaps: new Set(gaps) }),
        ...(after.late !== undefined && after.late.size > 0 && { late: after.late }),
        ...(after.alertWindows !== undefined && { alerts: packWindows(after.alertWindows) }),
        ...(after.unread !== undefined && after.unread.size > 0 && { unread: after.unread }),
      };
      const ifUnchanged = revision === null ? { when: ifAbsent } : { when: "rev = :rev", values: { ":rev": revision } };
      if (changes.length + events.length === 0) return succeeds(monitors.put(item, ifUnchanged));
      return succeeds(
        monitors.transact([
          { put: item, ...ifUnchanged },
          ...changes.map((each) => historyWrite(project, id, each, now())),
          ...events.map((event) => outboxWrite(event)),
        ]),
      );
    },

    /** Removes the state of a rule or monitor that does not exist any more. */
    remove: (project: string, id: string) => monitors.remove(stateKey(project, id)),

    /** Removes a state; if it is an alert, with the event that it was cleared for a reason. */
    clear: async (
      project: string,
      id: string,
      reason: string,
      eventOf: (change: Transition) => PendingEvent,
    ): Promise<void> => {
      const busy = throwUnavailable("The state of the alert is being changed by many requests. Try again.");
      await withRetries(requestRetryPolicy, busy, async () => {
        const stored = await get(project, id);
        if (stored === null) return null;
        const change = clearingOf(stored, reason, now());
        const remove: Write = { remove: stateKey(project, id), ...ifStateUnchanged(stored) };
        const writes = change === null ? [] : [historyWrite(project, id, change, now()), outboxWrite(eventOf(change))];
        return (await succeeds(monitors.transact([remove, ...writes]))) ? null : tryAgain;
      });
    },

    /** Lists the rules that are due, longest due first. */
    due: async function* (at: number): AsyncGenerator<RuleId> {
      const items = monitors.query({
        index: "due",
        where: "due_key = :due AND due_at <= :at",
        values: { ":due": dueAlertsPartition, ":at": instantAt(at) },
      });
      for await (const item of items) yield ruleOfState(v.parse(dueItem, item));
    },

    /** Lists the changes of a rule's state in the last 90 days, newest first. */
    history: async (project: string, id: string): Promise<readonly AlertChange[]> => {
      const changes: AlertChange[] = [];
      for await (const item of monitors.query({ ...historyOf(project, id), descending: true })) {
        changes.push(v.parse(change, JSON.parse(v.parse(historyItem, item).d)));
        if (changes.length === maxChanges) break;
      }
      return changes;
    },
  };
};

export type AlertStates = ReturnType<typeof alertStateStore>;
