import type { DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { hourRefresh } from "../../../lib/upkeep/refresh-hours.ts";
import { sweepHours } from "../../../lib/upkeep/sweep-hours.ts";
import { derivedUuid } from "../../../lib/domain/access/identity.ts";
import type { Database } from "../../../lib/store/database.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import { pendingPlace } from "../../../lib/store/hours/pending-turns.ts";
import { pendingMarks } from "../../../lib/store/hours/pending-marks.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { sessionPurge } from "../../../lib/store/sessions/removal.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { dayOfPartition } from "../../../lib/store/traces/keys.ts";
import { tracePurge } from "../../../lib/store/remains/purge.ts";
import { removalFilters, removalsOf } from "../../../lib/stream/removal-of-record.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import type { Call } from "../../model/caller.ts";
import { allLiving } from "../../support/database/all-living.ts";
import { faultyDatabase, type FaultyDatabase } from "../../support/faults/faults.ts";
import type { Random } from "../../support/random.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import type { TableStream } from "../../support/database/table-stream.ts";
import { changeRoutes } from "./change-routes.ts";
import { lookRoutes } from "./look-routes.ts";
import { shardConsumerModel, type ShardBatch } from "./shard-consumer-model.ts";
import { modelStream } from "./shard-model.ts";
import { storeService } from "../store-service.ts";
import type { Weather } from "../weather.ts";

/** A project whose writers and stream workers fail and die. */
export interface AggregateWorld {
  /** Makes a change, again until it is acknowledged. */
  readonly change: Call;
  /** Reads, without faults. */
  readonly look: Call;
  /** What the counters say. */
  total(): Promise<number>;
  /** Delivers some of the stream. @returns false when there is nothing left of it. */
  deliver(): Promise<boolean>;
  /** What the sweeper does. @returns how many hours waited for it. */
  sweep(): Promise<number>;
  /** From now on nothing fails. */
  calm(): void;
  pass(milliseconds: number): void;
}

const mostAttempts = 400;

const projectOf = ({ dynamodb }: DynamoDBRecord): string | null => {
  const pk = Buffer.from(dynamodb?.Keys?.["pk"]?.B ?? "", "base64");
  return pk.length < 19 ? null : dayOfPartition(pk).project;
};

/** @param rows the stream of the table of rows, read by this world alone. */
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

  /** A process of its own: what it does counts unless it has died on the way. */
  const process = async <Result>(work: (own: FaultyDatabase) => Promise<Result>): Promise<Result> => {
    processes += 1;
    const chance = random.fork(`process ${processes}`);
    const own = faultyDatabase(
      database,
      slowRequests(chance.fork("slow"), () => slow, seededFaults(chance, rates, tally)),
    );
    const result = await work(own);
    if (own.crashed) throw new Error("The process has died.");
    return result;
  };

  const aggregate = (batch: ShardBatch): Promise<unknown> =>
    process(async (own) => {
      const refresh = hourRefresh(hourRollups(own, now), pendingMarks(own, "hours"), now);
      const event = batch as ShardBatch & DynamoDBStreamEvent;
      return (await traceWindow(traceCounts(own, now), changedSegments(own), refresh, allLiving, now)(event)).state;
    });

  const purge = ({ Records }: ShardBatch): Promise<unknown> =>
    process(async (own) => {
      const scores = scoreRemoval(own);
      const [traces, sessions] = [
        tracePurge(own, scores.removeScoresOfTrace),
        sessionPurge(own, scores.removeScoresOfSession, now),
      ];
      const removals = Records.filter((record) => passesFilters(record, removalFilters)).flatMap(removalsOf);
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
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        try {
          const mint = (position: string): string => derivedUuid(project, name, position);
          return await process((own) => storeService(changeRoutes(own, project, now, mint))(...request));
        } catch {
          // Not acknowledged: the client sends it again.
        }
      }
      throw new Error("A change was never acknowledged.");
    },
    look: storeService(lookRoutes(database, project, now)),
    total: () => traceCounts(database, now).total(project),
    deliver: async () => {
      stream.add((await rows()).filter((record) => projectOf(record) === project));
      const steps = await Promise.all(consumers.map((consumer) => consumer.step()));
      return steps.some(Boolean);
    },
    sweep: async () => {
      try {
        const swept = await process((own) => {
          const cursor = cursorStore(own, pendingPlace, now);
          return sweepHours(hourRollups(own, now), pendingMarks(own, "hours"), cursor, 60_000, now);
        });
        return swept.pending;
      } catch {
        // It comes again.
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
