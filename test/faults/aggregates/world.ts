import type { DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { hourRefresh } from "../../../lib/maintenance/refresh-hours.ts";
import { sweepHours } from "../../../lib/maintenance/sweep-hours.ts";
import { derivedUuid } from "../../../lib/domain/access/identity.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { markerTurnsCursor } from "../../../lib/store/hours/fair-turns.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { sessionPurge } from "../../../lib/store/sessions/removal.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { dayOfPartition } from "../../../lib/store/traces/keys.ts";
import { tracePurge } from "../../../lib/store/garbage/purge.ts";
import { isRemoval, removalsOf } from "../../../lib/stream/removals.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import type { Call } from "../../model/caller.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { faultyDatabase, type FaultyDatabase } from "../../support/faults/faults.ts";
import type { Random } from "../../support/random.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import type { TableStream } from "../../support/database/table-stream.ts";
import { changeRoutes } from "./change-routes.ts";
import { readRoutes } from "./read-routes.ts";
import { shardConsumerModel, type ShardBatch } from "./shard-consumer-model.ts";
import { modelStream } from "./shard-model.ts";
import { storeService } from "../store-service.ts";
import type { Weather } from "../weather.ts";

/** A project whose writers and stream workers fail and crash. */
export interface AggregateWorld {
  /** Sends a change, repeatedly until it is acknowledged. */
  readonly change: Call;
  /** Sends a read request over a connection without faults. */
  readonly read: Call;
  /** Number of traces according to the counters. */
  total(): Promise<number>;
  /** Delivers some of the stream's records. @returns false when no records are left. */
  deliver(): Promise<boolean>;
  /** Runs the sweeper of stale hours once. @returns the number of stale hours that were waiting. */
  sweep(): Promise<number>;
  /** Ends all fault injection. */
  calm(): void;
  pass(milliseconds: number): void;
}

const maxAttempts = 400;

const projectOf = ({ dynamodb }: DynamoDBRecord): string | null => {
  const pk = Buffer.from(dynamodb?.Keys?.["pk"]?.B ?? "", "base64");
  return pk.length < 19 ? null : dayOfPartition(pk).project;
};

/** @param rows the stream of the rows table, read by this world alone. */
export const aggregateWorld = (
  database: Database,
  rows: TableStream,
  project: string,
  random: Random,
  { database: faults, slow: slowness }: Pick<Weather, "database" | "slow">,
  tally: Tally,
): AggregateWorld => {
  let [rates, slow, processes, requests, at] = [faults, slowness, 0, 0, Date.UTC(2026, 10, 21, 9)];
  const now = (): number => at;

  /** Runs work in a simulated process with its own connection. @throws Error when the process has crashed. */
  const process = async <Result>(work: (connection: FaultyDatabase) => Promise<Result>): Promise<Result> => {
    processes += 1;
    const chance = random.fork(`process ${processes}`);
    const connection = faultyDatabase(
      database,
      slowRequests(chance.fork("slow"), () => slow, seededFaults(chance, rates, tally)),
    );
    const result = await work(connection);
    if (connection.crashed) throw new Error("The process has died.");
    return result;
  };

  const aggregate = (batch: ShardBatch): Promise<unknown> =>
    process(async (connection) => {
      const refresh = hourRefresh(hourRollups(connection, now), pendingMarkers(connection, "hours"), now);
      const event = batch as ShardBatch & DynamoDBStreamEvent;
      return (
        await traceWindow(
          traceCounts(connection, now),
          changedSegments(connection),
          refresh,
          withoutDeletions,
          now,
        )(event)
      ).state;
    });

  const purge = ({ Records }: ShardBatch): Promise<unknown> =>
    process(async (connection) => {
      const scores = scoreRemoval(connection);
      const [traces, sessions] = [
        tracePurge(connection, scores.removeScoresOfTrace),
        sessionPurge(connection, scores.removeScoresOfSession, now),
      ];
      const removals = Records.filter(isRemoval).flatMap(removalsOf);
      for (const removal of removals) {
        if (removal.kind === "trace") await traces.purge(project, removal.trace, removal.incarnation);
        else await sessions.purge(project, removal.session, removal.at);
      }
    });

  const stream = modelStream(random.fork("shards"));
  const consumers = [
    shardConsumerModel(random.fork("aggregate"), stream, aggregate, true),
    shardConsumerModel(random.fork("purge"), stream, purge, false),
  ];

  return {
    change: async (...request) => {
      requests += 1;
      const name = String(requests);
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        try {
          const mint = (position: string): string => derivedUuid(project, name, position);
          return await process((connection) => storeService(changeRoutes(connection, project, now, mint))(...request));
        } catch {
          // The change was not acknowledged, so the client sends it again.
        }
      }
      throw new Error("A change was never acknowledged.");
    },
    read: storeService(readRoutes(database, project, now)),
    total: () => traceCounts(database, now).total(project),
    deliver: async () => {
      stream.add((await rows()).filter((record) => projectOf(record) === project));
      const steps = await Promise.all(consumers.map((consumer) => consumer.step()));
      return steps.some(Boolean);
    },
    sweep: async () => {
      try {
        const swept = await process((connection) => {
          const cursor = cursorStore(connection, markerTurnsCursor, now);
          return sweepHours(hourRollups(connection, now), pendingMarkers(connection, "hours"), cursor, 60_000, now);
        });
        return swept.pending;
      } catch {
        // The next sweep tries again.
        return 1;
      }
    },
    calm: () => {
      [rates, slow] = [{}, 0];
    },
    pass: (milliseconds) => {
      at += milliseconds;
    },
  };
};
