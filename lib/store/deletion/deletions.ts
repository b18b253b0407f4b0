import * as v from "valibot";
import { type Deletion, deletionKinds } from "../../domain/access/deletion.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import type { Item } from "../../dynamo/items.ts";
import { accessItems } from "../access/items.ts";
import { deletionKey, openDeletionsPartition, organizationPartition, prefixes, userPartition } from "../access/keys.ts";
import { orderedPage } from "../access/page.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { listedEntryKey, openDeletionKey } from "./writes.ts";

/** Store of the deletions of projects and organizations: requests, progress and receipts. */
export interface Deletions {
  /** Reads a deletion, strongly consistent; null when there is none. */
  get(id: string): Promise<Deletion | null>;
  /** Returns a page of an organization's project deletions, newest first. */
  ofOrganization(organizationId: string, at: PageRequest): Promise<Page<Deletion>>;
  /** Returns a page of the organization deletions that a user requested, newest first. */
  ofUser(userId: string, at: PageRequest): Promise<Page<Deletion>>;
  /** Returns all deletions that have not been proved complete. */
  open(): Promise<readonly Deletion[]>;
  /**
   * Leases a deletion to one worker for three minutes, and records the time of the lease: the deletion that was leased
   * longest ago is processed next.
   *
   * @returns the deletion as it is now; null when another worker holds the lease.
   */
  claim(id: string): Promise<ClaimedDeletion | null>;
  /**
   * Adds the numbers of deleted items, by kind, to the deletion's receipt, as soon as they are deleted: the worker may
   * die before the end of its pass.
   */
  addRemoved(id: string, removed: Readonly<Record<string, number>>): Promise<void>;
  /**
   * Stores the result of a worker's pass over the data to delete, and releases the lease. Does nothing if another
   * worker holds the lease by now.
   */
  release(claimed: ClaimedDeletion): Promise<void>;
  /**
   * Adds `count` items of a deleted project or organization, which a scan of all tables found, to the deletion's
   * receipt.
   *
   * @param scan start of the scan, epoch milliseconds.
   */
  countStrays(id: string, count: number, scan: number): Promise<void>;
  /**
   * Marks a deletion as proved complete. The receipt and the list entry that leads to it expire 400 days later.
   *
   * @returns false when another worker holds the lease by now.
   */
  close(claimed: ClaimedDeletion): Promise<boolean>;
}

/** A deletion leased to one worker. */
export interface ClaimedDeletion {
  readonly deletion: Deletion;
  /** End of the lease, epoch milliseconds; unique among the leases of a deletion. */
  readonly lease: number;
}

const leaseMilliseconds = 180_000;
const receiptDays = 400;

const deletionItem = v.object({
  id: v.string(),
  kind: v.picklist(deletionKinds),
  name: v.string(),
  project: v.optional(v.string()),
  organization: v.string(),
  requested_by: v.string(),
  created_at: v.string(),
  removed: v.record(v.string(), v.number()),
  empty_since: v.nullable(v.number()),
  strays: v.optional(v.number(), 0),
  stray_scan: v.optional(v.number()),
  worked_at: v.optional(v.number()),
  passing: v.nullish(
    v.object({ begun_at: v.number(), at: v.string(), place: v.nullish(v.string(), null), found: v.boolean() }),
  ),
  proved_at: v.nullable(v.string()),
  ttl: v.optional(v.number()),
});

const entry = v.object({ sk: v.string(), created_at: v.string() });

export const deletionStore = (database: Database, now: () => number = Date.now): Deletions => {
  const { get, list, write } = accessItems(database);

  const deletionOf = (item: Item): Deletion | null => {
    const { id, kind, name, removed, ...fields } = v.parse(deletionItem, item);
    if (fields.ttl !== undefined && fields.ttl * 1000 <= now()) return null;
    return {
      id,
      kind,
      name,
      removed,
      projectId: fields.project ?? null,
      organizationId: fields.organization,
      requestedBy: fields.requested_by,
      requestedAt: fields.created_at,
      emptySince: fields.empty_since,
      strays: fields.strays,
      strayScan: fields.stray_scan ?? null,
      workedAt: fields.worked_at ?? null,
      passing: fields.passing ? { ...fields.passing, begunAt: fields.passing.begun_at } : null,
      provedAt: fields.proved_at,
    };
  };

  const readByIds = async (ids: readonly string[]): Promise<ReadonlyMap<string, Deletion>> => {
    const items = await batchGet(database, "access", ids.map(deletionKey));
    return new Map(items.map(deletionOf).flatMap((each) => (each === null ? [] : [[each.id, each]])));
  };

  const idOf = (sk: string): string => sk.slice(sk.indexOf("#") + 1);

  /** Lists entries of deletions of all kinds. */
  const entriesIn = async (pk: string): Promise<readonly Item[]> => [
    ...(await list({ pk, prefix: prefixes.deletions })),
    ...(await list({ pk, prefix: prefixes.erasures })),
  ];

  const pageOf = async (partition: string, at: PageRequest): Promise<Page<Deletion>> => {
    const entries = (await entriesIn(partition)).map((item) => {
      const { sk, created_at: createdAt } = v.parse(entry, item);
      return { id: idOf(sk), createdAt };
    });
    const deletionsById = await readByIds(entries.map(({ id }) => id));
    const existingEntries = entries.filter(({ id }) => deletionsById.has(id));
    const { items, ...page } = orderedPage(existingEntries, ({ id }) => id, "desc", at);
    return { ...page, items: items.flatMap(({ id }) => deletionsById.get(id) ?? []) };
  };

  return {
    get: async (id) => {
      const item = await get(deletionKey(id));
      return item === undefined ? null : deletionOf(item);
    },

    ofOrganization: (organizationId, at) => pageOf(organizationPartition(organizationId), at),

    ofUser: (userId, at) => pageOf(userPartition(userId), at),

    open: async () => {
      // The partition has nothing else: one query has entries of all kinds.
      const entries = await list({ pk: openDeletionsPartition });
      return [...(await readByIds(entries.map((item) => idOf(v.parse(entry, item).sk)))).values()];
    },

    claim: async (id) => {
      const at = now();
      const lease = at + leaseMilliseconds;
      const failedWrites = await write([
        {
          update: deletionKey(id),
          change: "SET lease = :until, worked_at = :now",
          when: "attribute_exists(pk) AND (attribute_not_exists(lease) OR lease <= :now)",
          values: { ":until": lease, ":now": at },
        },
      ]);
      const item = failedWrites.size > 0 ? undefined : await get(deletionKey(id));
      const deletion = item === undefined ? null : deletionOf(item);
      return deletion === null ? null : { deletion, lease };
    },

    addRemoved: async (id, removed) => {
      const counts = Object.entries(removed).filter(([, count]) => count > 0);
      if (counts.length === 0) return;
      const sums = counts.map(
        ([name], index) => `removed.#${name} = if_not_exists(removed.#${name}, :zero) + :count${index}`,
      );
      await write([
        {
          update: deletionKey(id),
          // Items were found, so no earlier pass counts as proof that nothing remains.
          change: `SET empty_since = :null, passing = :null, ${sums.join(", ")}`,
          when: "attribute_exists(pk)",
          values: {
            ":null": null,
            ":zero": 0,
            ...Object.fromEntries(counts.map(([, count], index) => [`:count${index}`, count])),
          },
        },
      ]);
    },

    release: async ({ deletion: { id, emptySince, passing }, lease }) => {
      await write([
        {
          update: deletionKey(id),
          change: "SET empty_since = :since, passing = :passing REMOVE lease",
          when: "lease = :lease",
          values: {
            ":since": emptySince,
            ":passing": passing === null ? null : { ...passing, begunAt: undefined, begun_at: passing.begunAt },
            ":lease": lease,
          },
        },
      ]);
    },

    countStrays: async (id, count, scan) => {
      await write([
        {
          update: deletionKey(id),
          // These attributes are written nowhere else: the worker with the lease may write all others at the same
          // time.
          change: "SET stray_scan = :scan ADD strays :count",
          when: "attribute_exists(pk)",
          values: { ":scan": scan, ":count": count },
        },
      ]);
    },

    close: async ({ deletion, lease }) => {
      const [{ id, emptySince }, at] = [deletion, now()];
      const ttl = Math.ceil(at / 1000) + receiptDays * 86_400;
      // The list entry gets its expiry before the receipt is closed, because closing is not repeated.
      await write([
        {
          update: listedEntryKey(deletion),
          change: "SET #ttl = :ttl",
          // The entry may no longer exist: it is deleted together with its user.
          when: "attribute_exists(pk)",
          values: { ":ttl": ttl },
        },
      ]);
      const failedWrites = await write([
        {
          update: deletionKey(id),
          change: "SET empty_since = :since, proved_at = :at, #ttl = :ttl REMOVE lease",
          when: "lease = :lease",
          values: {
            ":lease": lease,
            ":since": emptySince,
            ":at": instantAt(at),
            ":ttl": ttl,
          },
        },
        { remove: openDeletionKey(deletion) },
      ]);
      return failedWrites.size === 0;
    },
  };
};
