import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { type FakeJudge, startFakeJudge } from "../../support/runs/fake-judge.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { sweeperOf } from "../assemblies.ts";
import { caller, exchange, type Send } from "../caller.ts";
import { foreignItems } from "../extend-items.ts";
import { answeredBefore, unpackData } from "../fixture-files.ts";
import { openAsLeft, todaysAssembly } from "../opened.ts";
import { type Asker, headersOf, type Place } from "../people.ts";
import { tablesOf } from "../stack.ts";
import { putItems, readItems } from "../table-items.ts";
import { uuidOf } from "../write-ids.ts";

const day = 86_400_000;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A recorded reply of the previous version in the default project, which has most of the data. */
const before = (path: string) => answeredBefore(path, "default");

const itemNamed = (list: string, name: string, project?: string) =>
  answeredBefore(`${list}?limit=200`, project).items.find((each: Named) => each.name === name);

describe("data of the previous version, opened by this version two days later", () => {
  let work: string;
  let judge: FakeJudge;
  let place: Place;
  let client: DynamoDBClient;
  let send: Send;

  const callerFor = (asker: Asker): Send => caller(place.stack.baseUrl, () => headersOf(place, asker));

  const sweep = async (): Promise<void> => {
    const { error } = await place.stack.functions.invoke(sweeperOf(todaysAssembly()), {});
    if (error !== undefined) throw new Error(error.errorMessage);
  };

  const statusOf = async (path: string, as = "key", project?: string): Promise<number> => {
    const headers = await headersOf(place, { as, ...(project !== undefined && { project }) });
    return (await exchange(place.stack.baseUrl, { method: "GET", path, headers })).status;
  };

  const waitForEnd = (id: string) =>
    eventually(async () => {
      const run = await send("GET", `/evaluations/trace-runs/${id}`);
      return run.status === "COMPLETED" || run.status === "FAILED" ? run : undefined;
    });

  /** Waits for a run's end with sweeps, which send lost messages only when no others wait. */
  const waitWithSweeps = async (id: string) => {
    const run = waitForEnd(id);
    for (let isSent = false; !isSent;) {
      await sweep();
      isSent = await Promise.race([run.then(() => true), wait(1_000, false)]);
    }
    return run;
  };

  const scoresOf = async (id: string): Promise<readonly (Named & { readonly trace_id: string })[]> =>
    send("GET", `/evaluations/trace-runs/${id}/scores`);

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "assay-living-"));
    const directory = join(work, "data");
    unpackData(directory);
    judge = await startFakeJudge();
    const providers = { openai: { key: "sk-test", baseUrl: judge.url } };
    place = await openAsLeft({
      directory,
      work,
      assembly: todaysAssembly(),
      later: 2 * day,
      schedules: true,
      providers,
    });
    client = new DynamoDBClient(localClient(place.stack.endpoints.DYNAMODB));
    send = callerFor({ as: "key", project: "default" });
  });

  afterAll(async () => {
    client.destroy();
    await place.stack.close();
    await judge.close();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  });

  test("a pending run is carried out, a waiting one continues, and stored judgements stay", async () => {
    const [pending, waiting] = ["pending", "waiting"].map((name) =>
      itemNamed("/evaluations/trace-runs", name, "default"),
    );
    const judged = before(`/evaluations/trace-runs/${waiting.id}/scores`) as readonly Named[];

    const [first, second] = [await waitWithSweeps(pending.id), await waitWithSweeps(waiting.id)];
    const [firstScores, secondScores] = await Promise.all([scoresOf(pending.id), scoresOf(waiting.id)]);

    const total = pending.total_traces;
    expect(first).toMatchObject({ status: "COMPLETED", evaluated_count: total, failed_count: 0 });
    expect(new Set(firstScores.map(({ name, trace_id }) => `${trace_id} ${name}`)).size).toBe(2 * total);
    expect(firstScores.length).toBe(2 * total);
    expect(second).toMatchObject({ status: "COMPLETED", evaluated_count: 5, failed_count: 0 });
    expect(secondScores.length).toBe(5);
    expect(judged.length).toBeGreaterThan(0);
    expect(secondScores.map(({ id }) => id)).toEqual(expect.arrayContaining(judged.map(({ id }) => id)));
    // Pairs judged before are not judged again.
    expect(judge.calls.length).toBe(5 - judged.length);
  });

  test("a run whose creation was interrupted is removed", async () => {
    const { runs = "" } = tablesOf(place.stack);

    const remainingItems = await eventually(async () => {
      const items = (await readItems(client, { runs }))["runs"] ?? [];
      return items.some(({ status }) => status?.S === "CREATING") ? undefined : items;
    });

    expect(remainingItems.length).toBeGreaterThan(20);
  });

  test("a monitor fires at its scheduled instant and when it is triggered", async () => {
    const daily = itemNamed("/evaluations/monitors", "daily", "default");

    const firing = await eventually(async () => {
      const { items } = await send("GET", `/evaluations/monitors/${daily.id}/firings`);
      return items.find((each: { readonly scheduled_at: string }) => each.scheduled_at === daily.next_run_at);
    });
    const run = await waitForEnd((await send("POST", `/evaluations/monitors/${daily.id}/trigger`)).id);
    const after = await send("GET", `/evaluations/monitors/${daily.id}`);

    expect(firing).toMatchObject({ outcome: "SKIPPED_UNCHANGED", run_id: null });
    expect(run).toMatchObject({ status: "COMPLETED", monitor_id: daily.id, total_traces: 2 });
    expect(after.last_run_id).toBe(run.id);
    expect(after.next_run_at > daily.next_run_at).toBe(true);
  });

  test("existing traces can be extended, scored and evaluated", async () => {
    const [pieces = "", foldedTrace = "", wholeTrace = ""] = ["pieces", "folded", "whole"].map(uuidOf);
    const [old, edited] = [before(`/traces/${pieces}`), itemNamed("/evaluations/trace-scores", "edited", "default")];

    await send("POST", `/traces/${pieces}/spans`, [{ name: "later", kind: "TOOL", started_at: old.ended_at }]);
    await send("PATCH", `/traces/${foldedTrace}`, { metadata: { later: true } });
    await send("POST", "/traces", {
      trace_id: wholeTrace,
      name: "whole",
      started_at: before(`/traces/${wholeTrace}`).started_at,
    });
    const [added, changed, same] = await Promise.all(
      [pieces, foldedTrace, wholeTrace].map((id) => send("GET", `/traces/${id}`)),
    );
    const score = await send("PATCH", `/evaluations/trace-scores/${edited.id}`, { value: "3" });
    const body = { metrics: ["tool_correctness"], trace_ids: [pieces, foldedTrace] };
    const run = await waitForEnd((await send("POST", "/evaluations/trace-runs/batch", body)).id);

    expect(added.spans.map(({ name }: Named) => name)).toEqual([...old.spans.map(({ name }: Named) => name), "later"]);
    expect(changed.metadata).toEqual({ ...before(`/traces/${foldedTrace}`).metadata, later: true });
    expect(same).toEqual(before(`/traces/${wholeTrace}`));
    expect(score).toMatchObject({ ...edited, value: "3", updated_at: score.updated_at, author_user_id: null });
    expect(run).toMatchObject({ status: "COMPLETED", evaluated_count: 2, failed_count: 0 });
  });

  test("traces, sessions, runs and a project are deleted despite unknown items beside them, and totals follow", async () => {
    const totalBefore = before("/traces?limit=200").total as number;
    const [session, run] = [before("/sessions/chat-8"), itemNamed("/evaluations/trace-runs", "filtered", "default")];
    const owner = callerFor({ as: "owner" });
    const archive = itemNamed(`/organizations/${place.stack.credentials.organizationId}/projects`, "archive");
    const tables = tablesOf(place.stack);
    await putItems(client, tables, foreignItems(await readItems(client, tables)));

    await send("DELETE", `/traces/${uuidOf("whole")}`);
    const { deleted } = await send("DELETE", "/sessions/chat-8");
    await send("DELETE", `/evaluations/trace-runs/${run.id}?delete_scores=true`);
    await owner("DELETE", `/organizations/${archive.org_id}/projects/${archive.id}`);
    const total = totalBefore - 1 - session.trace_count;
    const remainingPage = await eventually(async () => {
      const page = await send("GET", "/traces?limit=1");
      return page.total === total ? page : undefined;
    });
    const remainingTraces = await eventually(async () => {
      const { items } = await send("GET", `/evaluations/trace-scores?eval_run_id=${run.id}`);
      return items.length === 0 ? items : undefined;
    });
    // A scheduled sweeper may be working on the deletion, in which case this sweep skips it.
    const receipt = await eventually(async () => {
      await sweep();
      const { items } = await owner("GET", `/organizations/${archive.org_id}/deletions`);
      return items[0]?.removed.traces > 0 ? items[0] : undefined;
    });

    expect(deleted).toBe(session.trace_count);
    expect(remainingPage.items).toHaveLength(1);
    expect(remainingTraces).toEqual([]);
    expect(await statusOf(`/traces/${uuidOf("whole")}`, "key", "default")).toBe(404);
    expect(await statusOf(`/evaluations/trace-runs/${run.id}`, "key", "default")).toBe(404);
    expect(receipt).toMatchObject({ name: "archive", status: "RUNNING", proved_empty_at: null });
  });

  test("a pending invitation is accepted", async () => {
    const ola = callerFor({ as: "ola" });
    const [{ id, org_id }] = answeredBefore("/me/invitations");

    await ola("POST", `/me/invitations/${id}/accept`);
    const members = await ola("GET", `/organizations/${org_id}/members`);

    expect(members.map(({ email }: { readonly email: string }) => email)).toContain("ola@example.com");
  });
});
