import { DeleteCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { dayOf, type Instant } from "../../../lib/domain/instant.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { uuidBytes } from "../../../lib/dynamo/bytes/text.ts";
import { copyPartition, scoreKey } from "../../../lib/store/scores/keys.ts";
import { bodyPartition, partitionsOfBusyDay, rowPartition } from "../../../lib/store/traces/keys.ts";
import { orphanParts } from "../../../lib/store/garbage/orphan-parts.ts";
import type { Removal } from "../../../lib/store/scores/purge.ts";
import { isRemoval, removalsOf } from "../../../lib/stream/removals.ts";
import { purge } from "../../support/traces/purge.ts";
import type { TableStream } from "../../support/database/table-stream.ts";

type Item = Readonly<Record<string, unknown>>;
type Partition = string | Uint8Array;

const owned = v.object({ i: v.string() });
const part = v.object({ pk: v.string(), sk: v.string(), i: v.string(), w: v.optional(v.number()) });
const passing = v.object({ pk: v.unknown(), sk: v.unknown(), ttl: v.number() });

/** Milliseconds after which no writer is left: the monthly scan removes what dead ones wrote. */
const writerMilliseconds = 2 * 86_400_000;

/**
 * Runs the purge of one project's deleted traces and sessions from the stream of the rows table, in processes that may
 * crash.
 */
export const purgeDrain = (database: Database, stream: TableStream, project: string, now: () => number) => {
  const waiting: Removal[] = [];
  const deletedIncarnations = new Set<string>();
  /** Deleted incarnations whose tombstone became the row of the next one: no purge follows when it expires. */
  const followedIncarnations = new Set<string>();

  const itemsIn = async (table: "rows" | "bodies" | "scores", pk: Partition): Promise<readonly Item[]> => {
    const items: Item[] = [];
    const query = {
      TableName: database.table(table),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client: database.client }, query)) items.push(...Items);
    return items;
  };

  /** Adds the removals that have arrived in the stream since the last call to the queue. */
  const receive = async (): Promise<void> => {
    const records = (await stream()).filter(isRemoval);
    for (const { dynamodb } of records)
      if (dynamodb?.NewImage?.["d"] !== undefined) followedIncarnations.add(dynamodb.OldImage?.["x"]?.S ?? "");
    for (const removal of records.flatMap(removalsOf).filter((each) => each.project === project)) {
      if (removal.kind === "trace") deletedIncarnations.add(removal.incarnation);
      waiting.push(removal);
    }
  };

  return {
    /** Lets one process handle up to `count` queued removals; a failed removal stays queued. */
    work: async (process: Database, choose: (below: number) => number, count: number): Promise<void> => {
      await receive();
      for (let purged = 0; purged < count && waiting.length > 0; purged += 1) {
        const at = choose(waiting.length);
        const [removal] = waiting.slice(at, at + 1);
        if (removal === undefined) return;
        try {
          await purge(process, removal, now);
          waiting.splice(at, 1);
        } catch {
          return;
        }
      }
    },
    /** Handles all removals, deletes every tombstone as if expired, and handles the removals that follow from this. */
    finish: async (starts: readonly Instant[]): Promise<void> => {
      const workOff = async (): Promise<void> => {
        for (await receive(); waiting.length > 0; await receive()) {
          for (const removal of waiting.splice(0)) await purge(database, removal, now);
        }
      };
      await workOff();
      const days = new Set(starts.map(dayOf));
      const numbers = Array.from({ length: partitionsOfBusyDay }, (_, partition) => partition);
      const rowPartitions = [...days].flatMap((day) => numbers.map((number) => rowPartition(project, day, number)));
      const partitions = [uuidBytes(project), ...rowPartitions];
      for (const pk of partitions) {
        const expiring = (await itemsIn("rows", pk)).filter((item) => v.is(passing, item) && !("d" in item));
        for (const { pk: partition, sk } of expiring) {
          await database.client.send(
            new DeleteCommand({ TableName: database.table("rows"), Key: { pk: partition, sk } }),
          );
        }
      }
      await workOff();
    },
    /** Removes what dead writers left of incarnations that another one followed, as the monthly scan does. */
    scan: async (traces: readonly string[]): Promise<void> => {
      const bodies = await Promise.all(traces.map((trace) => itemsIn("bodies", bodyPartition(project, trace))));
      const items = bodies.flat().map((item) => v.parse(part, item));
      const orphans = orphanParts(database, () => now() + writerMilliseconds);
      await orphans.remove(items.filter(({ i }) => followedIncarnations.has(i)));
    },
    /** Items that still belong to a deleted incarnation of a trace, apart from pointers that reject telemetry until they expire. */
    remainsOf: async (traces: readonly string[], scores: readonly string[]): Promise<readonly Item[]> => {
      const items = await Promise.all([
        ...traces.map((trace) => itemsIn("bodies", bodyPartition(project, trace))),
        ...traces.map((trace) => itemsIn("scores", copyPartition("trace", project, trace))),
        ...scores.map((score) => itemsIn("scores", scoreKey(project, score).pk)),
      ]);
      const isTombstone = (item: Item): boolean => "x" in item && !("b" in item);
      return items.flat().filter((item) => deletedIncarnations.has(v.parse(owned, item).i) && !isTombstone(item));
    },
    /** Number of deleted trace incarnations. */
    deletedCount: (): number => deletedIncarnations.size,
  };
};
