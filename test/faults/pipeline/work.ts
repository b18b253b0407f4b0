import { instantAt } from "../../../lib/domain/instant.ts";
import { sliceWorker } from "../../../lib/evaluation/slice-worker.ts";
import { dispatch } from "../../../lib/evaluation/start/dispatch.ts";
import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import { runPurge } from "../../../lib/evaluation/upkeep/purge-run.ts";
import { sessionTargets } from "../../../lib/evaluation/slices/session-targets.ts";
import { burialPlace, sweep } from "../../../lib/evaluation/upkeep/sweep.ts";
import { inTurnOfProjects } from "../../../lib/evaluation/slices/turns.ts";
import { traceTargets } from "../../../lib/evaluation/slices/trace-targets.ts";
import type { Database } from "../../../lib/store/database.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import { openRunStore } from "../../../lib/store/runs/open.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { dueRunStore } from "../../../lib/store/runs/due-runs.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { sendingStore } from "../../../lib/store/runs/sendings.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { settlement } from "../../../lib/store/runs/settlement.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { turnStore, type OpenProject, type Turns } from "../../../lib/store/runs/turns.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
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

/** How long the index of sessions may lag, less than a run of sessions waits for it. */
const indexLag = 4_000;

/** A process that does a piece of work: its own connection, its own clock. */
interface Process {
  readonly database: FaultyDatabase;
  readonly now: () => number;
}

export interface PipelineWork {
  create(run: Tracked): Promise<void>;
  /** Puts a run's slices into the queue, as the stream's worker does. */
  sendOut(run: Tracked): Promise<void>;
  sweepOnce(): Promise<void>;
  /** A client deletes a run; it repeats what was answered with a 5xx. */
  remove(run: Tracked): Promise<void>;
  /** The stream's worker, once a run was deleted. */
  purgeOnce(run: Tracked): Promise<void>;
  deliver(delivery: Delivery): Promise<void>;
  /** How often each slice was delivered. */
  readonly deliveriesOf: ReadonlyMap<string, number>;
}

export interface PipelineWorld {
  readonly database: Database;
  readonly random: Random;
  readonly clock: VirtualClock;
  /** When the schedule began, epoch milliseconds. */
  readonly start: number;
  readonly weather: () => Weather;
  readonly queue: QueueModel;
  readonly judge: ScriptedJudge;
  readonly tally: Tally;
  readonly broken: Violations;
  readonly runs: readonly Tracked[];
}

/** What the processes of the pipeline do, each with a connection and a clock of its own that may fail it at any request. */
export const pipelineWork = ({
  database,
  random,
  clock,
  start,
  weather,
  queue,
  judge,
  tally,
  broken,
  runs,
}: PipelineWorld): PipelineWork => {
  const runOf = (id: string): Tracked | undefined => runs.find(({ order }) => order.id === id);

  let processes = 0;
  /** The index of sessions lags for less time than a run waits for it, by clocks that agree. */
  const inTime = async (drawn: ReturnType<Decide>, { input }: Call): Promise<FaultKind | null> => {
    const kind = await drawn;
    return kind === "stale-index" &&
      input["IndexName"] === "by-session" &&
      (weather().skew > 0 || clock.now() > start + indexLag)
      ? null
      : kind;
  };

  const { partitions: limits } = weather();
  const partitioned = limits === null ? () => null : partitions(clock.now, limits);
  /** What a call meets by chance, or because its partition takes no more; nothing once the faults have stopped. */
  const drawnOr = (drawn: ReturnType<Decide>, call: Call): ReturnType<Decide> => {
    if (drawn !== null || weather().partitions === null) return drawn;
    const kind = partitioned(call);
    if (kind !== null) tallied(tally, `${kind} ${call.operation} (partition)`);
    return kind;
  };

  const newProcess = (): Process => {
    processes += 1;
    const own = random.fork(`process ${processes}`);
    const killedAt = own.chance(weather().kill) ? own.between(1, 25) : Number.POSITIVE_INFINITY;
    const draw = seededFaults(own, weather().database, tally);
    let requests = 0;
    const skew = own.between(-weather().skew, weather().skew);
    return {
      now: () => clock.now() + skew,
      database: faultyDatabase(
        database,
        slowRequests(
          own.fork("slow"),
          () => weather().slow,
          (call) => {
            requests += 1;
            if (requests < killedAt || call.operation.includes("(")) return inTime(drawnOr(draw(call), call), call);
            const kind = own.chance(0.5) ? "crash-before" : "crash-after";
            tallied(tally, `${kind} ${call.operation}`);
            return kind;
          },
        ),
      ),
    };
  };

  const create = async (run: Tracked): Promise<void> => {
    const { database: own, now } = newProcess();
    run.attempts += 1;
    try {
      await runCreation(own, now)({ ...run.order, createdAt: instantAt(now()) }, run.targets);
      run.acked ||= !own.crashed;
    } catch {
      // The client of the API sees a 5xx and may repeat its request.
    }
  };

  const sendOut = async (run: Tracked): Promise<void> => {
    const { database: own, now } = newProcess();
    const store = runStore(own, now);
    run.dispatches += 1;
    try {
      const stored = await store.read(run.order.projectId, run.order.id);
      if (stored === null || stored.creating) {
        run.dispatches -= 1;
        return;
      }
      if (stored.run.status === "PENDING") await dispatch(stored, store, queue);
      run.dispatched = true;
    } catch {
      // The stream delivers the record again.
    }
  };

  const sweepOnce = async (): Promise<void> => {
    const { database: own, now } = newProcess();
    const open = openRunStore(own);
    const store = runStore(own, now);
    const deletion = runDeletion(own, store, now);
    const mine = async function* <Found extends { readonly run: string }>(all: AsyncIterable<Found>) {
      for await (const found of all) if (runOf(found.run) !== undefined) yield found;
    };
    const due = dueRunStore(own);
    try {
      await sweep({
        openRuns: { ...open, list: () => mine(open.list()) },
        dueRuns: { ...due, list: () => mine(due.list()) },
        sendings: sendingStore(own),
        runs: store,
        queue,
        queueIsEmpty: false,
        buriedTo: cursorStore(own, burialPlace, now),
        deletion: { ...deletion, list: (after) => mine(deletion.list(after)) },
        purge: runPurge({ deletion, scores: scoreRemoval(own, now), spend: spendStore(own, now), now }),
        now,
      });
    } catch {
      // The next minute's sweep goes on.
    }
  };

  const remove = async (run: Tracked): Promise<void> => {
    const { database: own, now } = newProcess();
    const store = runStore(own, now);
    run.deletions += 1;
    try {
      const stored = await store.read(run.order.projectId, run.order.id);
      const done = stored !== null && (await runDeletion(own, store, now).remove(stored, run.doomed === "with"));
      if (done && !own.crashed) run.deletedWith = await everyScoreId(database, run.order);
    } catch {
      // The client sees a 5xx.
    }
  };

  const purgeOnce = async (run: Tracked): Promise<void> => {
    const { database: own, now } = newProcess();
    const deletion = runDeletion(own, runStore(own, now), now);
    try {
      const stored = await deletion.find(run.order.projectId, run.order.id);
      if (stored !== null)
        await runPurge({ deletion, scores: scoreRemoval(own, now), spend: spendStore(own, now), now })(
          stored,
          Number.POSITIVE_INFINITY,
        );
    } catch {
      // The sweeper does it.
    }
  };

  /** The projects of this schedule: others go on in the same tables. */
  const mine = async (turns: Turns): Promise<readonly OpenProject[]> => {
    const own = (open: OpenProject) => open.runs.filter((run) => runOf(run) !== undefined);
    const open = await turns.open();
    return open.flatMap((project) => (own(project).length === 0 ? [] : [{ ...project, runs: own(project) }]));
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
    const { database: own, now } = newProcess();
    const store = runStore(own, now);
    const calls = random.fork(`calls ${delivery}`).pick([1, 3, 20]);
    const begun = clock.now();
    const [sessions, traces] = [sessionRows(own, now), traceReader(own, now)];
    const asked = judge.of({ delivery, crashed: () => own.crashed, crash: () => own.crash() });
    let over = false;
    const timeOut = async (): Promise<void> => {
      await clock.sleep(functionMilliseconds);
      if (!over && !own.crashed) tallied(tally, "time-out function");
      own.crash();
    };
    void timeOut();
    const turns = turnStore(own, now);
    const takeTurns = inTurnOfProjects({ turns: { ...turns, open: () => mine(turns) }, runs: store, now });
    const evaluate = sliceEvaluation({
      runs: store,
      slices: sliceStore(own, now),
      settlement: settlement(own, { runs: store, sessions }, now),
      inTurn: (sent, work) =>
        takeTurns(sent, (turn) => {
          if (turn.borrowed) {
            tallied(tally, "turn for another project");
            tallied(deliveriesOf, turn.message.slice);
          }
          return work(turn);
        }),
      targets: {
        TRACE: traceTargets(asked, traces, now),
        SESSION: sessionTargets({
          judge: asked,
          traces,
          sessions,
          scores: signalScores(own),
          own: async () => null,
          now,
        }),
      },
      judge: asked,
      spending: withoutCeilings(own, now),
      calls,
      now,
    });
    let result: SliceResult | undefined;
    const handler = sliceWorker(
      async (...what) => {
        result = await evaluate(...what);
        return result;
      },
      queue,
      now,
    );
    try {
      const getRemainingTimeInMillis = (): number => begun + functionMilliseconds - clock.now();
      const { batchItemFailures } = await handler(sqsEvent(received), { getRemainingTimeInMillis });
      // Who was killed answers nothing: the message comes back when its visibility ends.
      if (own.crashed) return;
      own.crash();
      if (batchItemFailures.length > 0) return;
      if (result?.kind === "over") {
        const deleting = run === undefined || run.deletions > 0;
        const open = deleting ? 0 : await run.watch.openPairs(run.order.sequential ? null : slice.slice);
        broken.expect(open === 0, "I3: a slice was acknowledged as over with pairs open");
      }
      queue.delete(handle);
    } finally {
      over = true;
      // What a function has not finished when it answers, it never does.
      own.crash();
      const made = judge.calls.filter((call) => call.delivery === delivery);
      const distinct = new Set(made.map(({ target, metric }) => `${target} ${metric}`));
      broken.expect(distinct.size === made.length, "I13: a pair was judged twice in one delivery");
      broken.expect(
        before.every((settled) => distinct.isDisjointFrom(settled)),
        "I13: a settled pair was judged again",
      );
    }
  };

  return { create, sendOut, sweepOnce, remove, purgeOnce, deliver, deliveriesOf };
};
