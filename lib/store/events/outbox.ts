import * as v from "valibot";
import type { PendingEvent } from "../../domain/event.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Write } from "../../dynamo/items.ts";

/** Attribute `kind` of the items of the table `runs` that are events. */
export const eventItemKind = "event";

const packedEvent = v.object({
  id: v.string(),
  kind: v.string(),
  projectId: v.string(),
  time: v.string(),
  page: v.string(),
  fields: v.record(v.string(), v.unknown()),
});

/** Milliseconds that an event stays in the outbox: 7 days. */
const retentionMilliseconds = 7 * 86_400_000;

/**
 * Returns the write that puts an event into the outbox, for the transaction that decides it. Repeated, it changes nothing that is
 * announced: the stream tells of new items only.
 *
 * @param options `isShared` is true if several projects may decide the same event; `until` is the time up to which it must not be
 *   announced again, epoch milliseconds, if that is more than 7 days ahead.
 */
export const outboxWrite = (
  event: PendingEvent,
  { isShared = false, until = 0 }: { readonly isShared?: boolean; readonly until?: number } = {},
): Write => ({
  table: "runs",
  put: {
    pk: `${isShared ? "" : `${event.projectId}#`}event#${event.id}`,
    sk: "event",
    kind: eventItemKind,
    d: JSON.stringify(event),
    ttl: Math.ceil(Math.max(until, Date.parse(event.time) + retentionMilliseconds) / 1000),
  },
});

/** Returns the writes of an event that may be absent. */
export const outboxWrites = (event: PendingEvent | undefined): readonly Write[] =>
  event === undefined ? [] : [outboxWrite(event)];

/** Puts an event into the outbox that belongs to no other change. */
export const putEvent = (database: Database, event: PendingEvent): Promise<unknown> =>
  itemsOf(database, "runs").transact([outboxWrite(event)]);

/** Parses the packed event of an outbox item. */
export const unpackEvent = (packed: string): PendingEvent => v.parse(packedEvent, JSON.parse(packed));
