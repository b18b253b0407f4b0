import { randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { idQuery } from "../../infra/saved-query.ts";
import { createInvitation } from "../../lib/contract/access/invitations.ts";
import { createTraceRun, deleteTraceRun } from "../../lib/contract/runs/trace-runs.ts";
import { createTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import { deleteTrace } from "../../lib/contract/traces/deletion.ts";
import { publishedIn, type PublishedLine } from "../support/published-lines.ts";
import { endedRun } from "../support/runs/ended-run.ts";
import { clientWith, newProject } from "../support/service/client.ts";
import { eventually } from "../support/service/local-fixture.ts";
import { people } from "../support/users.ts";

const service = inject("service");
const { organization } = people();

/** Lines that the functions of the service have logged so far. */
const logLines = (): readonly string[] => {
  const logs = join(inject("issuerDirectory"), "logs");
  return readdirSync(logs)
    .filter((file) => file.endsWith(".log"))
    .flatMap((file) => readFileSync(join(logs, file), "utf8").split("\n").slice(0, -1));
};

const published = (): readonly PublishedLine[] => publishedIn(logLines().filter((line) => line.includes('"_aws"')));

/** Logged lines that the saved query finds for an id: it searches them as text. */
const linesOf = (id: string): readonly Readonly<Record<string, unknown>>[] => {
  const [, text = ""] = /^filter @message like "(.+)"$/u.exec(idQuery[0] ?? "") ?? [];
  return logLines()
    .filter((line) => line.includes(text.replace("ID", id)))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
};

const directive = (...names: readonly string[]) => ({
  CloudWatchMetrics: [
    {
      Namespace: "Assay",
      Dimensions: [["Stage"]],
      Metrics: names.map((Name) => expect.objectContaining({ Name })),
    },
  ],
});

test("the requests of a client make the workers publish their lag, in CloudWatch's embedded metric format", async () => {
  const client = newProject(service);
  const { owner, params } = await organization();
  await owner.answer(createInvitation, { params, body: { email: `${randomUUID()}@example.com`, role: "MEMBER" } });
  const { trace_id } = await client.answer(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
  const run = await endedRun(client, await client.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } }));
  await client.answer(deleteTraceRun, { params: { run_id: run.id } });
  await client.answer(deleteTrace, { params: { trace_id } });

  // All workers but the one that fires monitors, which waits for a schedule.
  const expected = ["follow-access", "follow-rows", "follow-runs", "follow-scores", "judge-slice"];
  const lags = await eventually(() => {
    const batchLines = published().filter(({ event }) => event === "batch_begun");
    const workers = new Set(batchLines.map(({ worker }) => worker));
    return expected.every((name) => workers.has(name)) ? batchLines : undefined;
  });

  for (const line of lags) {
    expect(line).toMatchObject({ Stage: "local", Lag: expect.any(Number), _aws: directive("Lag") });
    expect(line["Lag"]).toBeGreaterThanOrEqual(0);
    // The requests were sent within the last hour.
    expect(line["Lag"]).toBeLessThan(3600);
  }
});

test("refused callers and judge calls are published as metrics", async () => {
  const client = newProject(service);
  await client.answer(createTrace, { body: { name: "x", started_at: "2026-10-01", input: "Hi", output: "Hello" } });
  await endedRun(client, await client.answer(createTraceRun, { body: { metrics: ["task_completion"] } }));
  const stranger = clientWith(service, { "X-API-Key": `sk_as_${"0".repeat(64)}`, "X-Project-Name": "any" });
  expect((await stranger.call(listTraces)).status).toBe(401);

  const [refusalLine, judgeLine] = await eventually(() => {
    const lines = published();
    const eventLines = ["caller_refused", "judge_asked"].map((event) => lines.find((line) => line.event === event));
    return eventLines.includes(undefined) ? undefined : eventLines;
  });

  expect(refusalLine).toMatchObject({ RefusedCallers: 1, Stage: "local", _aws: directive("RefusedCallers") });
  expect(judgeLine).toMatchObject({ JudgeCalls: expect.any(Number), Stage: "local" });
});

test("the saved query finds every hop of a run by its id and by the client's traceparent", async () => {
  const traceparent = `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;
  const client = clientWith(service, { ...newProject(service).headers, traceparent });
  const secret = `secret ${randomUUID()}`;
  await client.answer(createTrace, { body: { name: secret, started_at: "2026-10-01", input: secret, output: secret } });
  const started = await client.answer(createTraceRun, { body: { metrics: ["task_completion"] } });
  await endedRun(client, started);
  await client.answer(deleteTraceRun, { params: { run_id: started.id } });

  const hops = ["judge_asked", "request_completed", "run_created", "run_queued", "work_item_completed"];
  const eventsOf = (id: string) => [...new Set(linesOf(id).map(({ event }) => event))].toSorted();
  await eventually(() => (eventsOf(started.id).length >= hops.length ? true : undefined));

  expect(eventsOf(started.id)).toEqual(hops);
  expect(eventsOf(traceparent)).toEqual(hops);
  for (const line of linesOf(started.id))
    expect(line).toMatchObject({
      project_id: started.project_id,
      run_id: started.id,
      organization_id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      traceparent,
    });
  expect([linesOf(secret), linesOf(service.tenant.apiKey)]).toEqual([[], []]);
});
