import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as patience from "../../../lib/store/patience.ts";
import { runKey } from "../../../lib/store/runs/keys.ts";
import { LostLease, maxPerCommit } from "../../../lib/store/runs/settlement.ts";
import { leaseMilliseconds, sliceStore } from "../../../lib/store/runs/slices.ts";
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
  const held = await run.claim(0);

  await settling(database).commit(held, 2, [await run.judged(held, 0, 0.75), await run.judged(held, 1, 1)]);

  const ended = await run.runs.get(run.order.projectId, run.order.id);
  expect(ended).toMatchObject({
    status: "COMPLETED",
    evaluated: 1,
    scored: 2,
    failed: 0,
    missing: 0,
    errorMessage: null,
  });
  expect((await run.scores()).map(({ value }) => value).toSorted()).toEqual(["0.75", "1.0"]);
});

test("a part of a slice counts at once and does not end the run", async () => {
  const run = await storedRun(database, 2, metrics);
  const held = await run.claim(0);

  const after = await settling(database).commit(held, 2, [
    await run.judged(held, 0, 0.5),
    await run.judged(held, 1, null),
    await run.judged(held, 2, 0.5),
  ]);

  const now = await run.runs.get(run.order.projectId, run.order.id);
  expect(after.slice.state).toBe("open");
  expect(now).toMatchObject({ status: "PENDING", evaluated: 1, scored: 2, failed: 1, completedAt: null });
});

test("a run without a single success fails and says why", async () => {
  const run = await storedRun(database, 1, metrics);
  const held = await run.claim(0);

  await settling(database).commit(held, 2, [await run.judged(held, 0, null), await run.judged(held, 1, null)]);

  const ended = await run.runs.get(run.order.projectId, run.order.id);
  expect(ended).toMatchObject({ status: "FAILED", failed: 2 });
  expect(ended?.errorMessage).toContain("It broke.");
});

test("who has lost the lease commits nothing", async () => {
  const run = await storedRun(database, 1, metrics);
  const first = await run.claim(0);
  const second = await run.claim(0, Date.now() + leaseMilliseconds + 1);

  const late = settling(database).commit(first, 2, [await run.judged(first, 0, 0.1)]);
  await expect(late).rejects.toBeInstanceOf(LostLease);
  await settling(database).commit(second, 2, await run.allJudged(second));
  const later = settling(database).commit(first, 2, await run.allJudged(first));
  await expect(later).rejects.toBeInstanceOf(LostLease);

  expect((await run.scores()).map(({ value }) => value)).toEqual(["0.5", "0.5"]);
});

test("a pair whose trace was deleted after it was judged is missing, and its neighbours are scored", async () => {
  const run = await storedRun(database, 2, metrics);
  const held = await run.claim(0);
  const pairs = await run.allJudged(held);
  await deleteTrace(database, run.order.projectId, run.targets[0] ?? "");

  await settling(database).commit(held, 2, pairs);

  const ended = await run.runs.get(run.order.projectId, run.order.id);
  expect(ended).toMatchObject({ status: "COMPLETED", evaluated: 2, scored: 2, failed: 2, missing: 1 });
  expect(ended?.errorMessage).toContain("1 of 2 traces was not found");
  expect(new Set((await run.scores()).map(({ trace_id }) => trace_id))).toEqual(new Set([run.targets[1]]));
});

test("a trace whose start changed after it was judged is scored all the same", async () => {
  const run = await storedRun(database, 2, metrics);
  const held = await run.claim(0);
  const pairs = await run.allJudged(held);
  const moved = someTrace({ trace_id: run.targets[0] ?? "", started_at: "2026-09-30T10:00:00+00:00" });
  await traceStore(database, 0).save(run.order.projectId, moved);

  await settling(database).commit(held, 2, pairs);

  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ scored: 4, failed: 0, missing: 0 });
});

test("a trace that was deleted and sent again is another one", async () => {
  const run = await storedRun(database, 1, metrics);
  const held = await run.claim(0);
  const pairs = await run.allJudged(held);
  await deleteTrace(database, run.order.projectId, run.targets[0] ?? "");
  await traceStore(database, 0).save(run.order.projectId, someTrace({ trace_id: run.targets[0] ?? "" }));

  await settling(database).commit(held, 2, pairs);

  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ status: "FAILED", missing: 1 });
  expect(await run.scores()).toEqual([]);
});

test("a score that is there already is not written again", async () => {
  const run = await storedRun(database, 1, metrics);
  const held = await run.claim(0);
  const pairs = await run.allJudged(held);
  const first = pairs[0] ?? (await run.judged(held, 0, 0.5));
  // As if a person had written under the same id.
  const other = await storedRun(database, 1, metrics);
  const otherHeld = await other.claim(0);
  const otherPair = await other.judged(otherHeld, 0, 1);
  await settling(database).commit(otherHeld, 2, [
    {
      ...otherPair,
      stored: first.stored === null ? null : { ...first.stored, score: { ...first.stored.score, value: "1.0" } },
    },
  ]);

  await settling(database).commit(held, 2, pairs);

  const values = (await run.scores()).map(({ name, value }) => [name, value]);
  expect(new Map(values as [string, string][])).toEqual(
    new Map([
      ["task_completion", "1.0"],
      ["tool_correctness", "0.5"],
    ]),
  );
});

test("as many pairs as one commit takes fit into one transaction, with the end of the run", async () => {
  const run = await storedRun(database, maxPerCommit, ["one"]);
  const held = await run.claim(0);

  await settling(database).commit(held, 1, await run.allJudged(held));

  const ended = await run.runs.get(run.order.projectId, run.order.id);
  expect(ended).toMatchObject({ status: "COMPLETED", scored: maxPerCommit });
});

test("two workers that end the last two slices at once both count", async () => {
  const random = seeded(7);
  for (let round = 0; round < 5; round += 1) {
    const run = await storedRun(
      database,
      2,
      Array.from({ length: 50 }, (_, index) => `metric ${index}`),
    );
    const workers = [0, 1].map(async (slice) => {
      const own = faultyDatabase(database, (call) => (isTransaction(call) && random.chance(0.4) ? "conflict" : null));
      const held = await run.claim(slice);
      const pairs = await run.allJudged(held);
      const { commit } = settling(own);
      const half = await commit(held, 50, pairs.slice(0, 25));
      await commit(half, 50, pairs.slice(25));
    });
    await Promise.all(workers);

    const ended = await run.runs.get(run.order.projectId, run.order.id);
    expect(ended).toMatchObject({ status: "COMPLETED", evaluated: 2, scored: 100, failed: 0 });
    expect((await run.scores()).length).toBe(100);
  }
});

test("a commit whose answer was lost and that the SDK repeats counts once", async () => {
  const run = await storedRun(database, 1, metrics);
  const held = await run.claim(0);
  const own = faultyDatabase(database, once(isTransaction, "timeout-after"));

  await settling(own).commit(held, 2, await run.allJudged(held));

  const ended = await run.runs.get(run.order.projectId, run.order.id);
  expect(ended).toMatchObject({ status: "COMPLETED", evaluated: 1, scored: 2, failed: 0 });
  expect((await run.scores()).length).toBe(2);
});

test("a commit that fails for good leaves the pairs open for the next worker", async () => {
  const run = await storedRun(database, 1, metrics);
  const held = await run.claim(0);
  const own = faultyDatabase(database, (call) => (isTransaction(call) ? "throttle" : null));

  const failing = settling(own).commit(held, 2, await run.allJudged(held));

  await expect(failing).rejects.toThrow("injected");
  expect(await run.scores()).toEqual([]);
  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ evaluated: 0, scored: 0, failed: 0 });
});

test("a run that cannot be ended is tried for some seconds, and its last slice stays open", async () => {
  const run = await storedRun(database, 1, metrics);
  const { projectId, id } = run.order;
  const held = await run.claim(0);
  let commits = 0;
  // As if another slice of the run ended before each of these commits.
  const own = faultyDatabase(database, async (call) => {
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

  const failing = settling(own).commit(held, 2, await run.allJudged(held));

  await expect(failing).rejects.toMatchObject({
    name: "Contention",
    message: "A run's counts moved at every attempt to end a slice.",
  });
  expect(commits).toBe(patience.worker.times);
  expect(await run.scores()).toEqual([]);
  expect(await run.runs.get(projectId, id)).toMatchObject({ status: "PENDING", evaluated: 0, completedAt: null });
});

test("a commit renews the lease and forgets fruitless deliveries", async () => {
  const run = await storedRun(database, 2, metrics);
  const held = await run.claim(0);
  const at = Date.now() + 20_000;

  await settling(database, () => at).commit(held, 2, [await run.judged(held, 0, 0.5)]);

  const slices = sliceStore(database, () => at + leaseMilliseconds - 1);
  const claim = await slices.claim(run.order.projectId, run.order.id, run.slices[0] ?? "");
  expect(claim).toMatchObject({ kind: "busy", until: at + leaseMilliseconds });
  expect(await run.claim(0, at + leaseMilliseconds)).toMatchObject({ fruitless: 1, epoch: 2 });
});
