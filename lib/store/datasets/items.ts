import { hash } from "node:crypto";
import {
  itemContentText,
  maxItemBytes,
  maxItems,
  maxRevisions,
  type ItemRevision,
  type RevisionId,
  type SentItem,
} from "../../domain/datasets/dataset.ts";
import { instantAt, type Instant } from "../../domain/instant.ts";
import { Refusal } from "../../domain/refusal.ts";
import { awaitAll } from "../../async/concurrency.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf, type Write } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwUnavailable, tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import { packEntry, packRevision, revisionAt, unpackEntry, unpackRevision, type ItemEntry } from "./codec.ts";
import { datasetKey, entryKey, entryQueries, placeKey, placesWith, revisionKey } from "./keys.ts";

/**
 * Items and bytes of one transaction: DynamoDB's limits are 4 MB and 100 writes, of which the dataset needs one and an item up to three:
 * entry, revision and place.
 */
const [itemsPerCommit, bytesPerCommit] = [33, 3_500_000];

const busy = throwUnavailable("The items are being changed by many requests. Try again.");

const tooMany = (): Refusal =>
  new Refusal({
    kind: "forbidden",
    detail: `A dataset has at most ${maxItems} items. Delete items, or begin another one.`,
  });

const tooLarge = (id: string): Refusal =>
  new Refusal({ kind: "too-large", detail: `The item ${id} is larger than ${maxItemBytes / 1024} KB.` });

const tooManyRevisions = (id: string): Refusal =>
  new Refusal({ kind: "conflict", detail: `The item ${id} has its maximum of ${maxRevisions} revisions.` });

/** A change of an item: the item as it is from now on, or null for its deletion. */
interface ItemChange {
  readonly id: string;
  readonly item: SentItem | null;
  /** Content of the item as it is measured and compared; empty for a deletion. */
  readonly text: string;
  /** Place of a new item among those of the request. */
  readonly at: number;
}

const idsOf = (changes: readonly ItemChange[]): readonly string[] => changes.map(({ id }) => id);

/** What a change makes of an item's entry; `revision` is absent if nothing changes. */
interface Planned {
  readonly entry: ItemEntry | null;
  readonly before: ItemEntry | undefined;
  readonly revision?: ItemRevision | undefined;
  /** Change of the number of items. */
  readonly more: -1 | 0 | 1;
}

const changeTo = (item: SentItem, at = 0): ItemChange => ({ id: item.id, item, text: itemContentText(item), at });

const plannedChange = ({ id, item, text, at }: ItemChange, before: ItemEntry | undefined, now: number): Planned => {
  const isThere = before !== undefined && revisionAt(before) !== null;
  const contentHash = item === null ? "" : hash("sha256", text, "base64url");
  if (item === null ? !isThere : before?.contentHash === contentHash)
    return { entry: isThere ? before : null, before, more: 0 };
  if (Buffer.byteLength(text) > maxItemBytes) throw tooLarge(id);
  const revisions = before?.revisions ?? [];
  if (revisions.length >= maxRevisions) throw tooManyRevisions(id);
  const last = revisions.at(-1)?.replace(/^-/u, "") ?? "";
  const clock = instantAt(now);
  // Revisions of one item differ in their instants, whatever the clocks of two functions say.
  const revisedAt = clock > last ? clock : instantAt(Date.parse(last) + 1);
  const order = before?.order ?? `${clock}#${String(at).padStart(6, "0")}`;
  const entry = {
    id,
    order,
    revisions: [...revisions, item === null ? `-${revisedAt}` : revisedAt],
    contentHash,
    bytes: Buffer.byteLength(text),
  };
  const createdAt = order.slice(0, order.indexOf("#"));
  const revision = item === null ? undefined : { ...item, revisedAt, createdAt };
  return { entry, before, revision, more: item === null ? -1 : isThere ? 0 : 1 };
};

/** Returns the changes in groups that each fit into a transaction. */
const commitsOf = (changes: readonly ItemChange[]): readonly (readonly ItemChange[])[] => {
  const groups: ItemChange[][] = [];
  let bytes = bytesPerCommit;
  for (const change of changes) {
    const size = Buffer.byteLength(change.text);
    bytes += size;
    const group = groups.at(-1);
    if (group !== undefined && group.length < itemsPerCommit && bytes <= bytesPerCommit) group.push(change);
    else {
      groups.push([change]);
      bytes = size;
    }
  }
  return groups;
};

/** Returns the writes of a change: the entry, unless another request has changed it, the place of a new one, and the revision that it names. */
const writesOf = (project: string, dataset: string, { entry, before, revision }: Planned): readonly Write[] => {
  if (entry === null) return [];
  const put = { ...entryKey(project, dataset, entry.id), ...packEntry(entry) };
  const writes: readonly Write[] =
    before === undefined
      ? [{ put, when: ifAbsent }, { put: placeKey(project, entry.id, dataset) }]
      : [{ put, when: "r = :r", values: { ":r": before.revisions } }];
  if (revision === undefined) return writes;
  const { id, revisedAt } = revision;
  return [...writes, { put: { ...revisionKey(project, dataset, id, revisedAt), d: packRevision(revision) } }];
};

/**
 * Store of the items of datasets. An item is never overwritten: each change is a further revision, written in one transaction with the
 * entry that names it, so that a deleted dataset keeps none.
 */
export const itemStore = (database: Database, now: () => number = Date.now) => {
  const stored = itemsOf(database, "monitors");

  const entriesById = async (project: string, dataset: string, ids: readonly string[]) => {
    const keys = [...new Set(ids)].map((id) => entryKey(project, dataset, id));
    const entries = (await batchGet(database, "monitors", keys)).map(unpackEntry);
    return new Map(entries.map((entry) => [entry.id, entry]));
  };

  /** Commits changes of items whose entries were read before. @returns null when the dataset does not exist. */
  const tryCommit = async (
    project: string,
    dataset: string,
    changes: readonly ItemChange[],
    current: ReadonlyMap<string, ItemEntry>,
  ): Promise<readonly RevisionId[] | null | typeof tryAgain> => {
    const planned = changes.map((change) => plannedChange(change, current.get(change.id), now()));
    const changed = planned.filter(({ entry, before: earlier }) => entry !== null && entry !== earlier);
    const more = planned.reduce((sum, each) => sum + each.more, 0);
    const revisions = planned.flatMap(({ entry }) => {
      const revisedAt = entry === null ? null : revisionAt(entry);
      return entry === null || revisedAt === null ? [] : [{ id: entry.id, revisedAt }];
    });
    if (changed.length === 0) return revisions;
    const failedWrites = await failedConditions(
      stored.transact([
        {
          update: datasetKey(project, dataset),
          change: "ADD n :more",
          when: `attribute_exists(pk) AND attribute_not_exists(x)${more > 0 ? " AND n <= :most" : ""}`,
          values: { ":more": more, ":most": maxItems - more },
        },
        ...changed.flatMap((change) => writesOf(project, dataset, change)),
      ]),
    );
    if (failedWrites.has(0)) {
      const item = await stored.get(datasetKey(project, dataset));
      if (item === undefined || item["x"] === true) return null;
      if (Number(item["n"]) + more > maxItems) throw tooMany();
      return tryAgain;
    }
    return failedWrites.size > 0 ? tryAgain : revisions;
  };

  const commit = (
    project: string,
    dataset: string,
    changes: readonly ItemChange[],
    entries: ReadonlyMap<string, ItemEntry>,
  ): Promise<readonly RevisionId[] | null> => {
    let before: ReadonlyMap<string, ItemEntry> | null = entries;
    return withRetries(requestRetryPolicy, busy, async () => {
      const current = before ?? (await entriesById(project, dataset, idsOf(changes)));
      before = null;
      return await tryCommit(project, dataset, changes, current);
    });
  };

  const readRevision = async (project: string, dataset: string, { id, revisedAt }: RevisionId) => {
    const item = await stored.get(revisionKey(project, dataset, id, revisedAt));
    return item === undefined ? null : unpackRevision(item["d"]);
  };

  /** @throws Refusal `forbidden` if a dataset would have too many items with new ones. */
  const checkRoom = async (project: string, dataset: string, newItems: number): Promise<void> => {
    const count = Number((await stored.get(datasetKey(project, dataset)))?.["n"] ?? 0);
    if (count + newItems > maxItems) throw tooMany();
  };

  /** Applies changes of different items, many at a time. @returns null when the dataset does not exist. */
  const change = async (project: string, dataset: string, changes: readonly ItemChange[]) => {
    const revisions: RevisionId[] = [];
    const entries = await entriesById(project, dataset, idsOf(changes));
    const isNew = ({ id, item }: ItemChange) =>
      item !== null && revisionAt(entries.get(id) ?? { revisions: [] }) === null;
    await checkRoom(project, dataset, changes.filter(isNew).length);
    for (const group of commitsOf(changes)) {
      const part = await commit(project, dataset, group, entries);
      if (part === null) return null;
      revisions.push(...part);
    }
    return revisions;
  };

  return {
    /**
     * Stores items; one with a known id is a new revision of that item, or changes nothing if it is equal.
     *
     * @param items items with different ids.
     * @returns the revisions as they are now, in the order of the items; null when the dataset does not exist.
     * @throws Refusal `too-large`, or `forbidden` if the dataset would have too many items: nothing is stored then, unless others fill it
     *   at the same time.
     */
    put: (project: string, dataset: string, items: readonly SentItem[]): Promise<readonly RevisionId[] | null> =>
      change(
        project,
        dataset,
        items.map((item, at) => changeTo(item, at)),
      ),

    /**
     * Stores what is made of an item as it is now, so that changes of different fields at the same time are all kept.
     *
     * @param make returns the item from that before, null for a new one; called again when another writer was faster.
     * @returns the item as it is then; null when the dataset does not exist.
     */
    edit: (
      project: string,
      dataset: string,
      id: string,
      make: (before: ItemRevision | null) => SentItem,
    ): Promise<ItemRevision | null> =>
      withRetries(requestRetryPolicy, busy, async () => {
        const current = await entriesById(project, dataset, [id]);
        const entry = current.get(id);
        const before = entry === undefined ? null : revisionAt(entry);
        const edited = make(before === null ? null : await readRevision(project, dataset, { id, revisedAt: before }));
        const revisions = await tryCommit(project, dataset, [changeTo(edited)], current);
        if (revisions === tryAgain) return tryAgain;
        const [revision] = revisions ?? [];
        return revision === undefined ? null : await readRevision(project, dataset, revision);
      }),

    /** Deletes an item: its earlier revisions stay. @returns false when it does not exist; null when the dataset does not. */
    remove: async (project: string, dataset: string, id: string): Promise<boolean | null> => {
      const entry = (await entriesById(project, dataset, [id])).get(id);
      if (entry === undefined || revisionAt(entry) === null) return false;
      return (await change(project, dataset, [{ id, item: null, text: "", at: 0 }])) === null ? null : true;
    },

    /** Lists the entries of the items that a dataset has, in order, those of one place by id. @param at instant at which they are meant; absent for now. */
    entries: async (project: string, dataset: string, at?: Instant): Promise<readonly ItemEntry[]> =>
      (
        await awaitAll(
          entryQueries(project, dataset).map((query) => stored.list({ ...query, strongly: at === undefined })),
        )
      )
        .flat()
        .map(unpackEntry)
        .filter((entry) => revisionAt(entry, at) !== null)
        .toSorted((a, b) => (a.order < b.order || (a.order === b.order && a.id < b.id) ? -1 : 1)),

    /** Returns the ids of the datasets of a project that have an item with the id. */
    datasetsWith: async (project: string, id: string): Promise<readonly string[]> => {
      const places = await stored.list(placesWith(project, id));
      const datasets = places.map(({ sk }) => String(sk).slice(id.length + 1));
      const keys = datasets.map((dataset) => entryKey(project, dataset, id));
      const entries = await batchGet(database, "monitors", keys);
      const partitions = new Set(
        entries.filter((entry) => revisionAt(unpackEntry(entry)) !== null).map(({ pk }) => pk),
      );
      return datasets.filter((_, at) => partitions.has(keys[at]?.pk));
    },

    /** Reads one item; null when there is none. @param at instant at which it is meant; absent for now. */
    get: async (project: string, dataset: string, id: string, at?: Instant): Promise<ItemRevision | null> => {
      const entry = await stored.get(entryKey(project, dataset, id));
      const revisedAt = entry === undefined ? null : revisionAt(unpackEntry(entry), at);
      return revisedAt === null ? null : await readRevision(project, dataset, { id, revisedAt });
    },

    /** Reads revisions, in the order of their ids. */
    read: async (
      project: string,
      dataset: string,
      revisions: readonly RevisionId[],
    ): Promise<readonly ItemRevision[]> => {
      const keys = revisions.map(({ id, revisedAt }) => revisionKey(project, dataset, id, revisedAt));
      const items = (await batchGet(database, "monitors", keys)).map(({ d }) => unpackRevision(d));
      const byId = new Map(items.map((item) => [item.id, item]));
      return revisions.flatMap(({ id }) => byId.get(id) ?? []);
    },
  };
};
