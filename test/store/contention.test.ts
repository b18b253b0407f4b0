import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { someMonitor } from "../support/monitors.ts";
import { Refusal } from "../../lib/domain/refusal.ts";
import { refusalOf } from "../../lib/http/refusal-of.ts";
import { gatewayKeyStore } from "../../lib/store/access/clients/gateway-keys.ts";
import { accessStore } from "../../lib/store/access/project-lookup.ts";
import { rateLimits } from "../../lib/store/limits/rate-limits.ts";
import { hourRollups } from "../../lib/store/hours/rollups.ts";
import { monitorStore } from "../../lib/store/monitors/monitors.ts";
import { runDeletion } from "../../lib/store/runs/deletion.ts";
import { scoreChanges } from "../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../lib/store/scores/kind.ts";
import { latestSessionScores } from "../../lib/store/scores/latest-of-session.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { scoreStatistics } from "../../lib/store/scores/statistics.ts";
import { spendStore } from "../../lib/store/spend/spend.ts";
import { traceCounts } from "../../lib/store/traces/counts.ts";
import { traceReader } from "../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../lib/store/traces/removal.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { traceTags } from "../../lib/store/traces/tags.ts";
import { startDatabase, type TestDatabase } from "../support/database/database.ts";
import { faultyDatabase } from "../support/faults/faults.ts";
import { storedProject } from "../support/database/stored-project.ts";
import { someTrace } from "../support/traces/traces.ts";
import { storedRun } from "./runs/run-fixture.ts";
import { someScore } from "./scores/score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** The outcome of work: its result, or the error's name and message, with the detail of the 503 reply under the key 503. */
const endOf = async (work: Promise<unknown>): Promise<object> => {
  try {
    return { result: await work };
  } catch (error) {
    const { reason } = refusalOf(error, () => 0) ?? {};
    return {
      ...(reason?.kind === "unavailable" && { 503: reason.detail }),
      ...(error instanceof Error && !(error instanceof Refusal) && { [error.name]: error.message }),
    };
  }
};

test("work whose every attempt meets a conflict ends with an error that explains it to the caller", async () => {
  const project = randomUUID();
  await storedProject(database, project);
  const trace = someTrace();
  await traceStore(database, 0).save(project, trace);
  const score = someScore({ project_id: project, trace_id: trace.trace_id });
  await scoreCreation(database).ofTrace(score);
  const located = await traceReader(database).locate(project, trace.trace_id);
  if (located === null) throw new Error("The trace was not stored.");
  const run = await storedRun(database, 1, ["one"]);
  const runRecord = await run.runs.read(run.order.projectId, run.order.id);
  if (runRecord === null) throw new Error("The run was not stored.");
  const monitor = someMonitor(project, { metrics: ["one"] }, Date.parse("2026-11-21T09:00:00Z"));
  await monitorStore(database).create(monitor);
  const organization = await accessStore(database, 10).createOrganization("Acme");
  const spend = { project, run: run.order.id, slice: "a#0", epoch: 1 };
  const order = `2026-11-21T09:00:00+00:00#${score.id}`;

  // Every write meets a conflicting transaction.
  const faultyDb = faultyDatabase(database, ({ operation }) =>
    /^(?:Put|Update|Delete|Transact)/.test(operation) ? "conflict" : null,
  );
  const work = {
    "a new trace": traceStore(faultyDb, 0).save(project, someTrace()),
    "a trace": traceStore(faultyDb, 0).change(project, trace.trace_id, {
      kind: "trace-patch",
      update: { name: "other" },
    }),
    "a trace's tags": traceTags(faultyDb).apply(project, located, { add: ["one"], remove: [] }),
    "a trace that goes": traceRemoval(faultyDb).remove(project, trace.trace_id),
    "a score": scoreChanges(faultyDb, traceScoreKind).edit(project, score.id, (before) => ({
      ...before,
      value: "1.0",
    })),
    "a new score": scoreCreation(faultyDb).ofTrace({ ...score, id: randomUUID() }),
    "a trace's scores": scoreRemoval(faultyDb).removeScoresOfTrace(project, trace.trace_id, located.row.incarnation),
    "a sum of scores": scoreStatistics(faultyDb).fold("shard", [
      {
        project,
        target: "trace",
        session: null,
        before: null,
        after: { name: "helpful", status: "SUCCESS", value: 1, order },
        sequence: 1n,
      },
    ]),
    "a session's newest score": latestSessionScores(faultyDb).refresh(project, "helpful", "session"),
    "a count of traces": traceCounts(faultyDb).fold("shard", [{ project, expiry: "-", change: 1, sequence: 1n }]),
    "an hour": hourRollups(faultyDb).refresh({ project, hour: "2026-10-01T10", expiry: "-" }),
    "a run that goes": runDeletion(faultyDb, run.runs).remove(runRecord, true),
    "a budget": spendStore(faultyDb).reserve({
      ...spend,
      spent: 0,
      maxUsd: 0.2,
      minUsd: 0.1,
      ceilings: { run: 1, project: null, organization: null, deployment: null },
    }),
    "a monitor": monitorStore(faultyDb).change(project, monitor.id, (before) => ({
      ...before,
      lastRunId: run.order.id,
    })),
    "a monitor's schedules": monitorStore(faultyDb).recordScheduled(monitor),
    "a project's name": accessStore(faultyDb, 10).findOrCreateProject(organization, "first"),
    "a gateway key": gatewayKeyStore(faultyDb, "plan", 10).forget("client"),
    "a rate limit": rateLimits(faultyDb).count("client", "route", 10),
  };
  const ends = await Promise.all(Object.entries(work).map(async ([name, each]) => [name, await endOf(each)]));

  const unavailable = (detail: string) => ({ 503: detail });
  const contended = (message: string) => ({ 503: "The service is busy. Try again in a moment.", Contention: message });
  const traceBusy = unavailable("The trace is being changed by many requests. Try again.");
  expect(Object.fromEntries(ends)).toEqual({
    "a new trace": traceBusy,
    "a trace": traceBusy,
    "a trace's tags": traceBusy,
    "a trace that goes": traceBusy,
    "a score": unavailable("The score is being changed by many requests. Try again."),
    "a new score": traceBusy,
    "a trace's scores": contended("The scores changed during every attempt to delete them."),
    "a sum of scores": contended("The score statistics changed during every attempt to update them."),
    "a session's newest score": contended("The session's newest score changed during every attempt to update it."),
    "a count of traces": contended("The counter changed during every attempt to update it."),
    "an hour": { result: false },
    "a run that goes": contended("Workers changed the run during every attempt to delete it."),
    "a budget": { Contention: "The judging budgets changed during every attempt to update them." },
    "a monitor": unavailable("The monitor is being changed by many requests. Try again."),
    "a monitor's schedules": contended("The monitor changed during every attempt to record its schedules."),
    "a project's name": unavailable("Others are changing the same thing. Try again."),
    "a gateway key": contended("The number of gateway keys changed during every attempt to update it."),
    "a rate limit": unavailable("The request could not be counted. Try again."),
  });
});
