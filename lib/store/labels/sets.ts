import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { instantAt } from "../../domain/instant.ts";
import { maxLabelSets, type PersonLabels, type LabelItem, type LabelSet } from "../../domain/labels/label-set.ts";
import { emptyQueue } from "../../domain/labels/queue.ts";
import { Refusal } from "../../domain/refusal.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems, keyPages } from "../../dynamo/erase-items.ts";
import { failedConditions, ifConditionHolds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf, type Write } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwUnavailable, tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import {
  labelSetOf,
  packChunk,
  packLabels,
  packSettings,
  packSetState,
  packTrust,
  unpackChunk,
  unpackLabels,
  unpackSet,
  unpackTrust,
  type SetState,
  type StoredSet,
  type StoredTrust,
} from "./codec.ts";
import {
  chunkKey,
  chunkSize,
  closingSetsPartition,
  labelKey,
  labelSetCountKey,
  labelSetKey,
  labelSetPartition,
  labelSetsOf,
  labelsBetween,
  placeOfLabel,
  placeOfSet,
  trustKey,
} from "./keys.ts";
import { trustStore } from "./trust.ts";

const tooMany = (): Refusal =>
  new Refusal({
    kind: "invalid",
    violations: [
      {
        loc: ["body"],
        msg: `A project has at most ${maxLabelSets} label sets. Delete a set first.`,
        type: "value_error",
      },
    ],
  });

const busy = throwUnavailable("The label set is being changed by many requests. Try again.");

const keyItem = v.object({ pk: v.string(), sk: v.string() });
const labelItem = v.looseObject({ sk: v.string() });

/** A change of a set's state, with the labels that are stored with it by their places. */
export interface SetChange<Result> {
  readonly result: Result;
  /** Absent if nothing changes. */
  readonly state?: SetState | undefined;
  readonly labels?: readonly (readonly [place: number, person: number, labels: PersonLabels])[];
}

/** Most labels of one change: a transaction has room for 100 writes. */
export const maxLabelsOfChange = 99;

/**
 * Store of label sets. The state of a set's queue is one item, at most 10 KB for 2,000 items with five labels: each lease and each label is
 * a change of it on condition that nobody changed it since it was read, so that no two people get a place that has room for one, and the
 * next place is found without reading the items.
 */
export const labelSetStore = (database: Database) => {
  const [stored, trust] = [itemsOf(database, "monitors"), trustStore(database)];

  const read = async (project: string, id: string): Promise<StoredSet | null> => {
    const item = await stored.get(labelSetKey(project, id));
    return item === undefined ? null : unpackSet(item);
  };

  const existing = async (project: string, id: string): Promise<StoredSet | null> => {
    const set = await read(project, id);
    return set === null || set.isDeleted ? null : set;
  };

  return {
    /** Reads a set, strongly consistent; null when there is none. */
    get: existing,

    /** Lists a project's sets, in no particular order, strongly consistent. */
    list: async (project: string): Promise<readonly LabelSet[]> =>
      (await stored.list(labelSetsOf(project)))
        .map(unpackSet)
        .flatMap((set) => (set.isDeleted ? [] : [labelSetOf(set)])),

    /**
     * Stores a new set with its items.
     *
     * @returns the stored set; for a repeated request the existing one.
     * @throws Refusal `invalid` if the project has its maximum; and those of `repeat.checkReplay`.
     */
    create: async (
      settings: Omit<StoredSet["settings"], "bodyHash">,
      items: readonly LabelItem[],
      repeat: IdempotencyCheck = noIdempotency,
    ): Promise<LabelSet> => {
      const { projectId: project, id } = settings;
      const set: StoredSet = {
        settings: { ...settings, bodyHash: repeat.bodyHash },
        state: {
          queue: emptyQueue(items.length, settings.labelsPerItem),
          status: "OPEN",
          cannotTellCount: 0,
          publishedTo: 0,
          publishedCount: 0,
          unpublishedCount: 0,
          closedAt: null,
        },
        revision: 1,
        isDeleted: false,
      };
      const chunks = Array.from({ length: Math.ceil(items.length / chunkSize) }, (_, chunk) => ({
        put: {
          ...chunkKey(project, id, chunk),
          ...packChunk(items.slice(chunk * chunkSize, (chunk + 1) * chunkSize)),
        },
      }));
      const writes: Write[] = [
        {
          put: { ...labelSetKey(project, id), d: packSettings(set.settings), ...packSetState(set.state), rev: 1 },
          when: ifAbsent,
        },
        {
          update: labelSetCountKey(project),
          change: "ADD n :one",
          when: "attribute_not_exists(n) OR n < :most",
          values: { ":one": 1, ":most": maxLabelSets },
        },
        ...chunks,
      ];
      return withRetries(requestRetryPolicy, busy, async () => {
        const failedWrites = await failedConditions(stored.transact(writes));
        if (failedWrites.size === 0) return labelSetOf(set);
        const before = await read(project, id);
        if (before !== null) {
          repeat.checkReplay(before.settings.bodyHash);
          return labelSetOf(before);
        }
        if (failedWrites.has(1)) throw tooMany();
        return tryAgain;
      });
    },

    /**
     * Changes the state of a set, with labels. `change` is called again when another writer was faster.
     *
     * @returns the result of `change`; null when the set does not exist.
     */
    change: <Result>(
      project: string,
      id: string,
      change: (set: StoredSet) => Promise<SetChange<Result>> | SetChange<Result>,
    ): Promise<Result | null> =>
      withRetries<Result | null>(requestRetryPolicy, busy, async () => {
        const before = await existing(project, id);
        if (before === null) return null;
        const { result, state, labels = [] } = await change(before);
        if (state === undefined) return result;
        const { s, q } = packSetState(state);
        const isClosing = state.status === "CLOSING";
        const due = isClosing ? ", due_key = :due, due_at = :at" : " REMOVE due_key, due_at";
        const failedWrites = await failedConditions(
          stored.transact([
            {
              update: labelSetKey(project, id),
              change: `SET s = :s, q = :q, rev = :rev${due}`,
              when: "rev = :before",
              values: {
                ":s": s,
                ":q": q,
                ":rev": before.revision + 1,
                ":before": before.revision,
                ":due": closingSetsPartition,
                ":at": instantAt(Date.now()),
              },
            },
            ...labels.map(([place, person, value]) => ({
              put: { ...labelKey(project, id, place, person), ...packLabels(value) },
            })),
          ]),
        );
        return failedWrites.size === 0 ? result : tryAgain;
      }),

    /** Reads the items of a set from one place to below another, in their order. */
    items: async (project: string, id: string, from: number, to: number): Promise<readonly LabelItem[]> => {
      const [first, last] = [Math.floor(from / chunkSize), Math.ceil(to / chunkSize)];
      const numbers = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
      const chunks = await mapConcurrently(numbers, numbers.length || 1, (chunk) =>
        stored.get(chunkKey(project, id, chunk)),
      );
      const items = chunks.flatMap((chunk) => (chunk === undefined ? [] : unpackChunk(chunk)));
      return items.slice(from - first * chunkSize, to - first * chunkSize);
    },

    /** Reads the labels of the items from one place to below another, by place. */
    labels: async (
      project: string,
      id: string,
      from: number,
      to: number,
    ): Promise<ReadonlyMap<number, readonly PersonLabels[]>> => {
      const items = await stored.list(labelsBetween(project, id, from, to));
      const placed = items.map((item) => ({
        place: placeOfLabel(v.parse(labelItem, item).sk),
        labels: unpackLabels(item),
      }));
      const grouped = Map.groupBy(placed, ({ place }) => place);
      return new Map(Array.from(grouped, ([place, each]) => [place, each.map(({ labels }) => labels)]));
    },

    /** Reads the labels of some items by some people; those that do not exist are left out. */
    labelsOf: async (
      project: string,
      id: string,
      places: readonly (readonly [place: number, person: number])[],
    ): Promise<ReadonlyMap<string, PersonLabels>> => {
      const keys = places.map(([place, person]) => labelKey(project, id, place, person));
      const items = await batchGet(database, "monitors", keys);
      return new Map(items.map((item) => [v.parse(labelItem, item).sk, unpackLabels(item)]));
    },

    /** Stores the last trust result of a metric and a judge, unless the set is being deleted. */
    putTrust: async (
      project: string,
      id: string,
      metric: string,
      judge: string | null,
      trust: StoredTrust,
    ): Promise<void> => {
      await failedConditions(
        stored.transact([
          { check: labelSetKey(project, id), when: "attribute_exists(pk) AND attribute_not_exists(x)" },
          { put: { ...trustKey(project, id, metric, judge), ...packTrust(trust) } },
        ]),
      );
    },

    /** Reads the last trust result of a metric and a judge; null when there is none. */
    trust: async (project: string, id: string, metric: string, judge: string | null) => {
      const item = await stored.get(trustKey(project, id, metric, judge));
      return item === undefined ? null : unpackTrust(item);
    },

    /**
     * Deletes a set with its labels. Nobody reads it from the first write on; a call that ends early is continued by the next one.
     *
     * @returns false when it does not exist.
     */
    delete: async (project: string, id: string): Promise<boolean> => {
      const mark = stored.update(labelSetKey(project, id), "SET x = :true, rev = rev + :one REMOVE due_key, due_at", {
        when: "attribute_exists(pk)",
        values: { ":true": true, ":one": 1 },
      });
      if ((await ifConditionHolds(mark)) === null) return false;
      for (const { name } of (await read(project, id))?.settings.metrics ?? []) await trust.forget(project, name, id);
      for await (const keys of keyPages(database, "monitors", labelSetPartition(project, id)))
        await eraseItems(database, "monitors", keys);
      await failedConditions(
        stored.transact([
          { remove: labelSetKey(project, id), when: "attribute_exists(pk)" },
          { update: labelSetCountKey(project), change: "ADD n :minus", values: { ":minus": -1 } },
        ]),
      );
      return true;
    },

    /** Lists the sets that are being closed, those that wait longest first. */
    closing: async function* (): AsyncGenerator<ReturnType<typeof placeOfSet>> {
      const query = { index: "due", where: "due_key = :due", values: { ":due": closingSetsPartition } };
      for await (const item of stored.query(query)) yield placeOfSet(v.parse(keyItem, item));
    },
  };
};

export type LabelSetStore = ReturnType<typeof labelSetStore>;
