import * as v from "valibot";
import { type Deletion, deletionKinds } from "../../domain/access/deletion.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageAt } from "../../domain/page.ts";
import { accessItems, type Item } from "../access/items.ts";
import { deletionKey, openDeletionsPartition, organizationPartition, prefixes, userPartition } from "../access/keys.ts";
import { orderedPage } from "../access/page.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { deletionEntries, listedEntryKey } from "./entries.ts";
import { openDeletionKey } from "./writes.ts";

export interface Deletions {
  /** Deletions within an organization, newest first. */
  ofOrganization(organizationId: string, at: PageAt): Promise<Page<Deletion>>;
  /** Deletions that a user asked for, newest first. */
  ofUser(userId: string, at: PageAt): Promise<Page<Deletion>>;
  /** All deletions that go on. */
  open(): Promise<readonly Deletion[]>;
  /**
   * Lets one worker go on with a deletion for some minutes, and notes that its turn has come, before it begins.
   *
   * @returns it as it is now; null when another worker has it.
   */
  claim(id: string): Promise<ClaimedDeletion | null>;
  /** Adds to what the receipt says is removed: at once, since whoever removed it may not come to the end of its pass. */
  count(id: string, removed: Readonly<Record<string, number>>): Promise<void>;
  /** Notes what a pass found, and lets others go on. Does nothing when another worker has it by now. */
  note(claimed: ClaimedDeletion): Promise<void>;
  /** Counts items of what is deleted that a scan came upon. @param scan when it began, epoch milliseconds. */
  noteStrays(id: string, count: number, scan: number): Promise<void>;
  /** Closes the receipt: it expires 400 days later, and the entry that leads to it. @returns false when another worker has the deletion by now. */
  close(claimed: ClaimedDeletion): Promise<boolean>;
}

/** A deletion that one worker goes on with. */
export interface ClaimedDeletion {
  readonly deletion: Deletion;
  /** Until when nobody else does, epoch milliseconds: no two claims of a deletion have the same. */
  readonly lease: number;
}

const leaseMilliseconds = 180_000;
const receiptDays = 400;

const stored = v.object({
  id: v.string(),
  kind: v.picklist(deletionKinds),
  name: v.string(),
  organization: v.string(),
  requested_by: v.string(),
  created_at: v.string(),
  removed: v.record(v.string(), v.number()),
  empty_since: v.nullable(v.number()),
  strays: v.optional(v.number(), 0),
  stray_scan: v.optional(v.number()),
  worked_at: v.optional(v.number()),
  passing: v.nullish(v.object({ begun_at: v.number(), at: v.string(), found: v.boolean() })),
  proved_at: v.nullable(v.string()),
  ttl: v.optional(v.number()),
});

const entry = v.object({ sk: v.string(), created_at: v.string() });

export const deletionStore = (database: Database, now: () => number = Date.now): Deletions => {
  const { get, list, write } = accessItems(database);
  const lists = deletionEntries(database, now);

  const deletionOf = (item: Item): Deletion | null => {
    const { id, kind, name, removed, ...rest } = v.parse(stored, item);
    if (rest.ttl !== undefined && rest.ttl * 1000 <= now()) return null;
    return {
      id,
      kind,
      name,
      removed,
      organizationId: rest.organization,
      requestedBy: rest.requested_by,
      requestedAt: rest.created_at,
      emptySince: rest.empty_since,
      strays: rest.strays,
      strayScan: rest.stray_scan ?? null,
      workedAt: rest.worked_at ?? null,
      passing: rest.passing ? { ...rest.passing, begunAt: rest.passing.begun_at } : null,
      provedAt: rest.proved_at,
    };
  };

  const withIds = async (ids: readonly string[]): Promise<ReadonlyMap<string, Deletion>> => {
    const items = await batchGet(database, "access", ids.map(deletionKey));
    return new Map(items.map(deletionOf).flatMap((each) => (each === null ? [] : [[each.id, each]])));
  };

  const idOf = (sk: string): string => sk.slice(prefixes.deletions.length);

  const pageOf = async (partition: string, at: PageAt): Promise<Page<Deletion>> => {
    const entries = (await list(partition, prefixes.deletions)).map((item) => {
      const { sk, created_at: createdAt } = v.parse(entry, item);
      return { id: idOf(sk), createdAt };
    });
    const known = await withIds(entries.map(({ id }) => id));
    const there = entries.filter(({ id }) => known.has(id));
    const { items, ...page } = orderedPage(there, ({ id }) => id, "desc", at);
    return { ...page, items: items.flatMap(({ id }) => known.get(id) ?? []) };
  };

  return {
    ofOrganization: (organizationId, at) => pageOf(organizationPartition(organizationId), at),

    ofUser: (userId, at) => pageOf(userPartition(userId), at),

    open: async () => {
      const entries = await list(openDeletionsPartition, prefixes.deletions);
      return [...(await withIds(entries.map((item) => idOf(v.parse(entry, item).sk)))).values()];
    },

    claim: async (id) => {
      const at = now();
      const lease = at + leaseMilliseconds;
      const failed = await write([
        {
          update: deletionKey(id),
          change: "SET lease = :until, worked_at = :now",
          when: "attribute_exists(pk) AND (attribute_not_exists(lease) OR lease <= :now)",
          values: { ":until": lease, ":now": at },
        },
      ]);
      const item = failed.size > 0 ? undefined : await get(deletionKey(id));
      const deletion = item === undefined ? null : deletionOf(item);
      return deletion === null ? null : { deletion, lease };
    },

    count: async (id, removed) => {
      const counts = Object.entries(removed).filter(([, count]) => count > 0);
      if (counts.length === 0) return;
      const sums = counts.map(
        ([name], index) => `removed.#${name} = if_not_exists(removed.#${name}, :zero) + :count${index}`,
      );
      await write([
        {
          update: deletionKey(id),
          // What is removed was there: no pass that began before has found nothing.
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

    note: async ({ deletion: { id, emptySince, passing }, lease }) => {
      await write([
        {
          update: deletionKey(id),
          change: "SET empty_since = :since, passing = :passing REMOVE lease",
          when: "lease = :lease",
          values: {
            ":since": emptySince,
            ":passing": passing === null ? null : { begun_at: passing.begunAt, at: passing.at, found: passing.found },
            ":lease": lease,
          },
        },
      ]);
    },

    noteStrays: async (id, count, scan) => {
      await write([
        {
          update: deletionKey(id),
          // Attributes of its own: whoever has the deletion at the same time writes all others.
          change: "SET stray_scan = :scan ADD strays :count",
          when: "attribute_exists(pk)",
          values: { ":scan": scan, ":count": count },
        },
      ]);
    },

    close: async ({ deletion, lease }) => {
      const [{ id, emptySince }, at] = [deletion, now()];
      const ttl = Math.ceil(at / 1000) + receiptDays * 86_400;
      // First: a receipt is closed once.
      await lists.expire(listedEntryKey(deletion), ttl);
      const failed = await write([
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
        { remove: openDeletionKey(id) },
      ]);
      return failed.size === 0;
    },
  };
};
