import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workerRetryPolicy } from "../../../lib/dynamo/retry-policies.ts";
import { batchWrite } from "../../../lib/dynamo/batches.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { unscoredPair } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { heldKey, heldPrefix, runKey, runPartition } from "../../../lib/store/runs/keys.ts";
import { commitActions, maxCommitActions } from "../../../lib/store/runs/commit-size.ts";
import { LostLease } from "../../../lib/store/runs/settlement.ts";
import { leaseMilliseconds, sliceStore } from "../../../lib/store/runs/slices.ts";
import { failedLists } from "../../../lib/store/totals/failed-lists.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { seeded } from "../../support/random.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { once } from "../../support/database/watched-database.ts";
import { settling, storedRun } from "./run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const metrics = ["task_completion", "tool_correctness"];
const isTransaction = ({ operation }: { readonly operation: string }): boolean => operation === "TransactWriteItems";

test("the commit of the last pair ends the run", async () => {
  const run = await storedRun(database, 1, metrics);
  const storedSlice = await run.claim(0);

  await settling(database).commit(storedSlice, 2, [
    await run.judged(storedSlice, 0, 0.75),
    await run.judged(storedSlice, 1, 1),
  ]);

  const endedRun = await run.runs.get(run.order.projectId, run.order.id);
  expect(endedRun).toMatchObject({
    status: "COMPLETED",
    evaluated: 1,
    scored: 2,
    failed: 0,
    missing: 0,
    errorMessage: null,
  });
  expect((await run.scores()).map(({ value }) => value).toSorted()).toEqual(["0.75", "1.0"]);
});

test("a partly settled slice is counted at once and does not end the run", async () => {
  const run = await storedRun(database, 2, metrics);
  const storedSlice = await run.claim(0);

  const after = await settling(database).commit(storedSlice, 2, [
    await run.judged(storedSlice, 0, 0.5),
    await run.judged(storedSlice, 1, null),
    await run.judged(storedSlice, 2, 0.5),
  ]);

  const now = await run.runs.get(run.order.projectId, run.order.id);
  expect(after.slice.state).toBe("open");
  expect(now).toMatchObject({ status: "PENDING", evaluated: 1, scored: 2, failed: 1, completedAt: null });
});

test("a run without any success fails and gives the reason", async () => {
  const run = await storedRun(database, 1, metrics);
  const storedSlice = await run.claim(0);

  await settling(database).commit(storedSlice, 2, [
    await run.judged(storedSlice, 0, null),
    await run.judged(storedSlice, 1, null),
  ]);

  const endedRun = await run.runs.get(run.order.projectId, run.order.id);
  expect(endedRun).toMatchObject({ status: "FAILED", failed: 2 });
  expect(endedRun?.errorMessage).toContain("It broke.");
});

test("a worker that has lost the lease commits nothing", async () => {
  const run = await storedRun(database, 1, metrics);
  const first = await run.claim(0);
  const second = await run.claim(0, Date.now() + leaseMilliseconds + 1);

  const lateCommit = settling(database).commit(first, 2, [await run.judged(first, 0, 0.1)]);
  await expect(lateCommit).rejects.toBeInstanceOf(LostLease);
  await settling(database).commit(second, 2, await run.allJudged(second));
  const laterCommit = settling(database).commit(first, 2, await run.allJudged(first));
  await expect(laterCommit).rejects.toBeInstanceOf(LostLease);

  expect((await run.scores()).map(({ value }) => value)).toEqual(["0.5", "0.5"]);
});

test("a pair whose trace was deleted after it was judged is missing, and the other pairs are scored", async () => {
  const run = await storedRun(database, 2, metrics);
  const storedSlice = await run.claim(0);
  const pairs = await run.allJudged(storedSlice);
  await deleteTrace(database, run.order.projectId, run.targets[0] ?? "");

  await settling(database).commit(storedSlice, 2, pairs);

  const endedRun = await run.runs.get(run.order.projectId, run.order.id);
  expect(endedRun).toMatchObject({ status: "COMPLETED", evaluated: 2, scored: 2, failed: 2, missing: 1 });
  expect(endedRun?.errorMessage).toContain("1 of 2 traces was not found");
  expect(new Set((await run.scores()).map(({ trace_id }) => trace_id))).toEqual(new Set([run.targets[1]]));
});

test("a trace whose start time changed after it was judged is scored", async () => {
  const run = await storedRun(database, 2, metrics);
  const storedSlice = await run.claim(0);
  const pairs = await run.allJudged(storedSlice);
  const moved = someTrace({ trace_id: run.targets[0] ?? "", started_at: "2026-09-30T10:00:00+00:00" });
  await traceStore(database, 0).save(run.order.projectId, moved);

  await settling(database).commit(storedSlice, 2, pairs);

  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ scored: 4, failed: 0, missing: 0 });
});

test("a trace that was deleted and sent again is a different trace", async () => {
  const run = await storedRun(database, 1, metrics);
  const storedSlice = await run.claim(0);
  const pairs = await run.allJudged(storedSlice);
  await deleteTrace(database, run.order.projectId, run.targets[0] ?? "");
  await traceStore(database, 0).save(run.order.projectId, someTrace({ trace_id: run.targets[0] ?? "" }));

  await settling(database).commit(storedSlice, 2, pairs);

  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ status: "FAILED", missing: 1 });
  expect(await run.scores()).toEqual([]);
  await failedLists(database).scanFrom(true);
  const { runs: failedRuns } = await runList(database).page(run.order.projectId, "TRACE", { status: "FAILED" }, 10, 0);
  expect(failedRuns.map((each) => each.run.order.id)).toEqual([run.order.id]);
});

test("a commit removes the first verdicts whose pairs are all settled, as many as it can hold, of a missing trace too", async () => {
  const names = Array.from({ length: 120 }, (_, index) => `metric_${index}`);
  const run = await storedRun(database, 1, names);
  const { projectId, id } = run.order;
  const storedSlice = await run.claim(0);
  const heldItems = [[0, 1], ...Array.from(names.keys(), (pair) => [pair]).slice(2)];
  const puts = heldItems.map(([pair = 0]) => ({
    PutRequest: { Item: heldKey(projectId, id, run.slices[0] ?? "", pair) },
  }));
  await batchWrite(database, "runs", puts);
  const places = async () =>
    (await itemsOf(database, "runs").list({ pk: runPartition(projectId, id), prefix: heldPrefix })).length;
  const judged = await run.judged(storedSlice, 2, 0.5);
  await deleteTrace(database, projectId, run.targets[0] ?? "");

  const after = await settling(database).commit(storedSlice, 120, [unscoredPair(0, null), judged], heldItems);
  const half = await places();
  await settling(database).commit(
    after,
    120,
    Array.from(names.keys(), (pair) => unscoredPair(pair, null)),
    heldItems,
  );
  expect([half, await places()]).toEqual([118, 118 - 32 + 1]);
});

test("an existing score is not overwritten", async () => {
  const run = await storedRun(database, 1, metrics);
  const storedSlice = await run.claim(0);
  const pairs = await run.allJudged(storedSlice);
  const first = pairs[0] ?? (await run.judged(storedSlice, 0, 0.5));
  // A score of a person under the same id.
  const otherRun = await storedRun(database, 1, metrics);
  const otherSlice = await otherRun.claim(0);
  const otherPair = await otherRun.judged(otherSlice, 0, 1);
  await settling(database).commit(otherSlice, 2, [
    {
      ...otherPair,
      checkedScore:
        first.checkedScore === null
          ? null
          : { ...first.checkedScore, score: { ...first.checkedScore.score, value: "1.0" } },
    },
  ]);

  await settling(database).commit(storedSlice, 2, pairs);

  const values = (await run.scores()).map(({ name, value }) => [name, value]);
  expect(new Map(values as [string, string][])).toEqual(
    new Map([
      ["task_completion", "1.0"],
      ["tool_correctness", "0.5"],
    ]),
  );
});

test.each([
  ["one metric of 32 traces", 32, 1],
  ["47 metrics of one trace", 1, 47],
])("%s fit into one transaction, together with the end of the run", async (_, targets, metrics) => {
  const names = Array.from({ length: metrics }, (_each, index) => `metric_${index}`);
  const run = await storedRun(database, targets, names);
  const storedSlice = await run.claim(0);
  const judged = await run.allJudged(storedSlice);
  expect(maxCommitActions - commitActions(judged)).toBeLessThan(3);

  const committed = await settling(database).commit(storedSlice, metrics, judged);

  expect(committed.commits).toBe(storedSlice.commits + 1);
  const endedRun = await run.runs.get(run.order.projectId, run.order.id);
  expect(endedRun).toMatchObject({ status: "COMPLETED", scored: targets * metrics });
});

test("two workers that end the last two slices concurrently are both counted", async () => {
  const random = seeded(7);
  for (let round = 0; round < 5; round += 1) {
    const run = await storedRun(
      database,
      2,
      Array.from({ length: 50 }, (_, index) => `metric ${index}`),
    );
    const workers = [0, 1].map(async (slice) => {
      const faultyDb = faultyDatabase(database, (call) =>
        isTransaction(call) && random.chance(0.4) ? "conflict" : null,
      );
      const storedSlice = await run.claim(slice);
      const pairs = await run.allJudged(storedSlice);
      const { commit } = settling(faultyDb);
      const halfSettled = await commit(storedSlice, 50, pairs.slice(0, 25));
      await commit(halfSettled, 50, pairs.slice(25));
    });
    await Promise.all(workers);

    const endedRun = await run.runs.get(run.order.projectId, run.order.id);
    expect(endedRun).toMatchObject({ status: "COMPLETED", evaluated: 2, scored: 100, failed: 0 });
    expect((await run.scores()).length).toBe(100);
  }
});

test("a commit whose answer was lost and that the SDK retries is counted once", async () => {
  const run = await storedRun(database, 1, metrics);
  const storedSlice = await run.claim(0);
  const faultyDb = faultyDatabase(database, once(isTransaction, "timeout-after"));

  await settling(faultyDb).commit(storedSlice, 2, await run.allJudged(storedSlice));

  const endedRun = await run.runs.get(run.order.projectId, run.order.id);
  expect(endedRun).toMatchObject({ status: "COMPLETED", evaluated: 1, scored: 2, failed: 0 });
  expect((await run.scores()).length).toBe(2);
});

test("a commit that fails permanently leaves its pairs open for the next worker", async () => {
  const run = await storedRun(database, 1, metrics);
  const storedSlice = await run.claim(0);
  const faultyDb = faultyDatabase(database, (call) => (isTransaction(call) ? "throttle" : null));

  const failing = settling(faultyDb).commit(storedSlice, 2, await run.allJudged(storedSlice));

  await expect(failing).rejects.toThrow("injected");
  expect(await run.scores()).toEqual([]);
  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ evaluated: 0, scored: 0, failed: 0 });
});

test("a run that cannot be ended is retried for some seconds, and its last slice stays open", async () => {
  const run = await storedRun(database, 1, metrics);
  const { projectId, id } = run.order;
  const storedSlice = await run.claim(0);
  let commits = 0;
  // Another slice of the run ends before each of these commits.
  const faultyDb = faultyDatabase(database, async (call) => {
    if (!isTransaction(call)) return null;
    commits += 1;
    const Key = runKey(projectId, id);
    await database.client.send(
      new UpdateCommand({
        TableName: "runs",
        Key,
        UpdateExpression: "ADD slices_left :one",
        ExpressionAttributeValues: { ":one": 1 },
      }),
    );
    return null;
  });

  const failing = settling(faultyDb).commit(storedSlice, 2, await run.allJudged(storedSlice));

  await expect(failing).rejects.toMatchObject({
    name: "Contention",
    message: "The run's counts changed during every attempt to end a slice.",
  });
  expect(commits).toBe(workerRetryPolicy.times);
  expect(await run.scores()).toEqual([]);
  expect(await run.runs.get(projectId, id)).toMatchObject({ status: "PENDING", evaluated: 0, completedAt: null });
});

test("a commit renews the lease and resets the number of fruitless deliveries", async () => {
  const run = await storedRun(database, 2, metrics);
  const storedSlice = await run.claim(0);
  const at = Date.now() + 20_000;

  await settling(database, () => at).commit(storedSlice, 2, [await run.judged(storedSlice, 0, 0.5)]);

  const slices = sliceStore(database, () => at + leaseMilliseconds - 1);
  const claim = await slices.claim(run.order.projectId, run.order.id, run.slices[0] ?? "");
  expect(claim).toMatchObject({ kind: "busy", until: at + leaseMilliseconds });
  expect(await run.claim(0, at + leaseMilliseconds)).toMatchObject({ fruitless: 1, epoch: 2 });
});
