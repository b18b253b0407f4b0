import { randomUUID } from "node:crypto";
import { instantAt } from "../../../lib/domain/instant.ts";
import { sliceWorker } from "../../../lib/evaluation/slice-worker.ts";
import { dispatch } from "../../../lib/evaluation/start/dispatch.ts";
import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import { runPurge } from "../../../lib/evaluation/maintenance/purge-run.ts";
import { sessionTargets } from "../../../lib/evaluation/slices/session-targets.ts";
import { deletedRunsCursor, sweep } from "../../../lib/evaluation/maintenance/sweep.ts";
import { fairShareTurns } from "../../../lib/evaluation/slices/fair-share-turns.ts";
import { traceTargets } from "../../../lib/evaluation/slices/trace-targets.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { openRunStore } from "../../../lib/store/runs/open.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { dueRunStore } from "../../../lib/store/runs/due-runs.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { sliceResendStore } from "../../../lib/store/runs/slice-resends.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { settlement } from "../../../lib/store/runs/settlement.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { rotationStore, type Rotations } from "../../../lib/store/runs/rotations.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { faultyDatabase, type FaultyDatabase } from "../../support/faults/faults.ts";
import type { Call, Decide, FaultKind } from "../../support/faults/fault-kind.ts";
import { partitions } from "../../support/faults/partitions.ts";
import type { Random } from "../../support/random.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seededFaults, tallied, type Tally } from "../../support/faults/seeded-faults.ts";
import { withoutCeilings } from "../../support/runs/without-ceilings.ts";
import type { Delivery, QueueModel } from "./queue-model.ts";
import { sqsEvent } from "./sqs-event.ts";
import { everyScoreId } from "./run-score-list.ts";
import type { ScriptedJudge } from "./scripted-judge.ts";
import type { Tracked } from "./tracked-run.ts";
import type { Violations } from "../violations.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Weather } from "../weather.ts";

const functionMilliseconds = 180_000;

/** Maximum lag of an index in milliseconds, shorter than a run of sessions and the purge of a deleted run wait for it. */
const indexLag = 4_000;

/** A simulated process with its own connection and clock. */
interface Process {
  readonly database: FaultyDatabase;
  readonly now: () => number;
}

export interface PipelineWork {
  create(run: Tracked): Promise<void>;
  /** Sends a run's slices to the queue, as the stream worker does. */
  dispatchRun(run: Tracked): Promise<void>;
  /** Removes an ended run from its rotations, as the stream worker does. */
  endTurns(run: Tracked): Promise<void>;
  sweepOnce(): Promise<void>;
  /** Deletes a run as a client does; a request answered with a 5xx may be repeated. */
  remove(run: Tracked): Promise<void>;
  /** Purges a deleted run, as the stream worker does. */
  purgeOnce(run: Tracked): Promise<void>;
  deliver(delivery: Delivery): Promise<void>;
  /** Number of deliveries of each slice, by slice id. */
  readonly deliveriesOf: ReadonlyMap<string, number>;
}

export interface PipelineWorld {
  readonly database: Database;
  readonly random: Random;
  readonly clock: VirtualClock;
  /** Start of the schedule, epoch milliseconds. */
  readonly start: number;
  readonly weather: () => Weather;
  readonly queue: QueueModel;
  readonly judge: ScriptedJudge;
  readonly tally: Tally;
  readonly invariants: Violations;
  readonly runs: readonly Tracked[];
}

/** The pipeline's processes, each with its own clock and a connection that may fail at any request. */
export const pipelineWork = ({
  database,
  random,
  clock,
  start,
  weather,
  queue,
  judge,
  tally,
  invariants: broken,
  runs,
}: PipelineWorld): PipelineWork => {
  const runOf = (id: string): Tracked | undefined => runs.find(({ order }) => order.id === id);

  // Other schedules use the same tables and the same projects.
  const schedule = randomUUID();
  const isOneOrganization = random.fork("organizations").chance(0.5);
  const turnsOf = ({ database: connection, now }: Process): Rotations => {
    const turns = rotationStore(
      connection,
      async (project) => (isOneOrganization ? schedule : `${schedule} ${project}`),
      { now, rotation: `turn of ${schedule}` },
    );
    return {
      ...turns,
      runs: async (project) => (await turns.runs(project)).filter(({ id }) => runOf(id) !== undefined),
    };
  };

  let processes = 0;
  /** Last writes, epoch milliseconds, for which readers wait by their clocks until an index shows them. */
  const writtenAt: Record<string, number> = { "by-session": start };
  /** Suppresses index lag after the time for which readers wait for the index, and with differing clocks. */
  const withinIndexLag = async (drawn: ReturnType<Decide>, { input }: Call): Promise<FaultKind | null> => {
    const kind = await drawn;
    const at = writtenAt[String(input["IndexName"])];
    const isLagOver = at !== undefined && (weather().skew > 0 || clock.now() > at + indexLag);
    return kind === "stale-index" && isLagOver ? null : kind;
  };

  const { partitions: limits } = weather();
  const partitioned = limits === null ? () => null : partitions(clock.now, limits);
  /** Adds throttling by partition limits to a drawn fault; no fault once injection has stopped. */
  const withPartitionLimits = (drawn: ReturnType<Decide>, call: Call): ReturnType<Decide> => {
    if (drawn !== null || weather().partitions === null) return drawn;
    const kind = partitioned(call);
    if (kind !== null) tallied(tally, `${kind} ${call.operation} (partition)`);
    return kind;
  };

  const newProcess = (): Process => {
    processes += 1;
    const chance = random.fork(`process ${processes}`);
    const killedAt = chance.chance(weather().kill) ? chance.between(1, 25) : Number.POSITIVE_INFINITY;
    const draw = seededFaults(chance, weather().database, tally);
    let requests = 0;
    const skew = chance.between(-weather().skew, weather().skew);
    return {
      now: () => clock.now() + skew,
      database: faultyDatabase(
        database,
        slowRequests(
          chance.fork("slow"),
          () => weather().slow,
          (call) => {
            requests += 1;
            if (requests < killedAt || call.operation.includes("("))
              return withinIndexLag(withPartitionLimits(draw(call), call), call);
            const kind = chance.chance(0.5) ? "crash-before" : "crash-after";
            tallied(tally, `${kind} ${call.operation}`);
            return kind;
          },
        ),
      ),
    };
  };

  const create = async (run: Tracked): Promise<void> => {
    const { database: connection, now } = newProcess();
    run.attempts += 1;
    try {
      await runCreation(connection, now)({ ...run.order, createdAt: instantAt(now()) }, run.targets);
      run.acked ||= !connection.crashed;
    } catch {
      // The client of the API receives a 5xx and may repeat its request.
    }
  };

  const dispatchRun = async (run: Tracked): Promise<void> => {
    const process = newProcess();
    const { database: connection, now } = process;
    const store = runStore(connection, now);
    run.dispatches += 1;
    try {
      const storedRun = await store.read(run.order.projectId, run.order.id);
      if (storedRun === null || storedRun.isCreating) {
        run.dispatches -= 1;
        return;
      }
      if (storedRun.run.status === "PENDING")
        await dispatch(storedRun, { runs: store, queue, turns: turnsOf(process) });
      run.dispatched = true;
    } catch {
      // The stream delivers the record again.
    }
  };

  const endTurns = async (run: Tracked): Promise<void> => {
    const process = newProcess();
    try {
      await turnsOf(process).leave(run.order.projectId, run.order.id);
      run.hasLeft ||= !process.database.crashed;
    } catch {
      // The stream delivers the record again.
    }
  };

  const sweepOnce = async (): Promise<void> => {
    const process = newProcess();
    const { database: connection, now } = process;
    const open = openRunStore(connection);
    const store = runStore(connection, now);
    const deletion = runDeletion(connection, store, now);
    const ofSchedule = async function* <RunItem extends { readonly run: string }>(items: AsyncIterable<RunItem>) {
      for await (const item of items) if (runOf(item.run) !== undefined) yield item;
    };
    const due = dueRunStore(connection);
    try {
      await sweep({
        openRuns: { ...open, list: () => ofSchedule(open.list()) },
        dueRuns: { ...due, list: () => ofSchedule(due.list()) },
        resends: sliceResendStore(connection),
        runs: store,
        queue,
        turns: turnsOf(process),
        queueIsEmpty: false,
        purgeCursor: cursorStore(connection, deletedRunsCursor, now),
        deletion: { ...deletion, list: (after) => ofSchedule(deletion.list(after)) },
        purge: runPurge({ deletion, scores: scoreRemoval(connection, now), now }),
        now,
      });
    } catch {
      // The next minute's sweep continues.
    }
  };

  const remove = async (run: Tracked): Promise<void> => {
    const { database: connection, now } = newProcess();
    const store = runStore(connection, now);
    run.deletions += 1;
    // A deleted run gets no more scores.
    writtenAt["by-run"] ??= clock.now();
    try {
      const storedRun = await store.read(run.order.projectId, run.order.id);
      const isDeleted =
        storedRun !== null &&
        (await runDeletion(connection, store, now).remove(storedRun, run.deletionMode === "with"));
      if (isDeleted && !connection.crashed) run.deletedWith = await everyScoreId(database, run.order);
    } catch {
      // The client receives a 5xx.
    }
  };

  const purgeOnce = async (run: Tracked): Promise<void> => {
    const { database: connection, now } = newProcess();
    const deletion = runDeletion(connection, runStore(connection, now), now);
    try {
      const storedRun = await deletion.find(run.order.projectId, run.order.id);
      if (storedRun !== null)
        await runPurge({ deletion, scores: scoreRemoval(connection, now), now })(storedRun, Number.POSITIVE_INFINITY);
    } catch {
      // The sweeper purges the run.
    }
  };

  let deliveries = 0;
  const deliveriesOf = new Map<string, number>();
  const deliver = async (received: Delivery): Promise<void> => {
    const { slice, handle } = received;
    deliveries += 1;
    const delivery = deliveries;
    tallied(deliveriesOf, slice.slice);
    const run = runOf(slice.run);
    const before = await Promise.all(runs.map(({ watch }) => watch.settledPairs()));
    const process = newProcess();
    const { database: connection, now } = process;
    const store = runStore(connection, now);
    const calls = random.fork(`calls ${delivery}`).pick([1, 3, 20]);
    const startedAt = clock.now();
    const [sessions, traces] = [sessionRows(connection, now), traceReader(connection, now)];
    const judgeOfDelivery = judge.forProcess({
      delivery,
      crashed: () => connection.crashed,
      crash: () => connection.crash(),
    });
    let over = false;
    const timeOut = async (): Promise<void> => {
      await clock.sleep(functionMilliseconds);
      if (!over && !connection.crashed) tallied(tally, "time-out function");
      connection.crash();
    };
    void timeOut();
    const takeTurns = fairShareTurns({ turns: turnsOf(process), runs: store, now });
    const evaluate = sliceEvaluation({
      runs: store,
      slices: sliceStore(connection, now),
      settlement: settlement(connection, { runs: store, sessions }, now),
      runInTurn: (message, work) =>
        takeTurns(message, (turn) => {
          if (turn.isBorrowed) {
            tallied(tally, "turn for another project");
            tallied(deliveriesOf, turn.message.slice);
          }
          return work(turn);
        }),
      targets: {
        TRACE: traceTargets(judgeOfDelivery, traces, now),
        SESSION: sessionTargets({
          judge: judgeOfDelivery,
          traces,
          sessions,
          scores: signalScores(connection),
          findCustomMetric: async () => null,
          now,
        }),
      },
      judge: judgeOfDelivery,
      spending: withoutCeilings(connection, now),
      calls,
      now,
    });
    let result: SliceResult | undefined;
    const handler = sliceWorker(
      async (...parameters) => {
        result = await evaluate(...parameters);
        return result;
      },
      queue,
      now,
    );
    try {
      const getRemainingTimeInMillis = (): number => startedAt + functionMilliseconds - clock.now();
      const { batchItemFailures } = await handler(sqsEvent(received), { getRemainingTimeInMillis });
      // A killed function returns nothing; its message is visible again after the time-out.
      if (connection.crashed) return;
      connection.crash();
      if (batchItemFailures.length > 0) return;
      if (result?.kind === "over") {
        const deleting = run === undefined || run.deletions > 0;
        const open = deleting ? 0 : await run.watch.openPairs(run.order.sequential ? null : slice.slice);
        broken.expect(open === 0, "I3: a slice was acknowledged as over with pairs open");
      }
      queue.delete(handle);
    } finally {
      over = true;
      // Work that a function has not finished when it replies is never finished.
      connection.crash();
      const callsOfDelivery = judge.calls.filter((call) => call.delivery === delivery);
      const distinct = new Set(callsOfDelivery.map(({ target, metric }) => `${target} ${metric}`));
      const askedPairs = new Set(callsOfDelivery.map(({ model, target, metric }) => `${model} ${target} ${metric}`));
      broken.expect(
        askedPairs.size === callsOfDelivery.length,
        "I13: a model was asked twice about a pair in one delivery",
      );
      broken.expect(
        before.every((settledPairs) => distinct.isDisjointFrom(settledPairs)),
        "I13: a settled pair was judged again",
      );
    }
  };

  return { create, dispatchRun: dispatchRun, endTurns, sweepOnce, remove, purgeOnce, deliver, deliveriesOf };
};
