import { beforeAll, describe, expect, inject, test } from "vitest";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { addTrace, addTraces, scoresOf, startRun } from "../../support/runs/trace-runs.ts";

const service = inject("service");

describe("the filters of a run", () => {
  const client = newProject(service);
  const names = new Map<string, string>();

  beforeAll(async () => {
    const traces = [
      { name: "Alpha 100%", started_at: "2026-10-01T00:00:00Z", session_id: "s", user_id: "u", tags: ["a", "b"] },
      { name: "beta_1", started_at: "2026-10-02T00:00:00Z", status: "ERROR", session_id: "S", tags: ["b"] },
      { name: "gamma", started_at: "2026-10-02T00:00:00.000001Z", status: "RUNNING", user_id: "U", tags: ["c"] },
      { name: "ALPHABET", started_at: "2026-10-03T23:30:00-01:00", status: "PENDING", session_id: "", tags: [] },
    ];
    await Promise.all(traces.map(async (trace) => names.set(await addTrace(client, trace), trace.name)));
  });

  const matched = async (filters: object): Promise<readonly (string | undefined)[]> => {
    const run = await endedRun(client, await startRun(client, { filters }));
    const traceNames = (await scoresOf(client, run)).map(({ trace_id }) => names.get(trace_id));
    expect(run).toMatchObject({ status: "COMPLETED", filters, total_traces: traceNames.length });
    return traceNames.toSorted((a = "", b = "") => (a < b ? -1 : 1));
  };

  const allNames = ["ALPHABET", "Alpha 100%", "beta_1", "gamma"];

  test.each<readonly [object, readonly string[]]>([
    [{}, allNames],
    [{ name: "", tags: [] }, allNames],
    [{ date_from: "2026-10-02" }, ["ALPHABET", "beta_1", "gamma"]],
    [{ date_from: "2026-10-02T00:00:00.000001" }, ["ALPHABET", "gamma"]],
    [{ date_to: "2026-10-02" }, ["Alpha 100%"]],
    [{ date_to: "2026-10-02T02:00:00.000001+02:00" }, ["Alpha 100%", "beta_1"]],
    [{ date_from: "2026-10-04", date_to: "2026-10-05" }, ["ALPHABET"]],
    [{ date_from: "2026-10-05", date_to: "2026-10-01" }, []],
    [{ status: "ERROR" }, ["beta_1"]],
    [{ status: "COMPLETED" }, ["Alpha 100%"]],
    [{ session_id: "s" }, ["Alpha 100%"]],
    [{ session_id: "" }, ["ALPHABET"]],
    [{ user_id: "U" }, ["gamma"]],
    [{ tags: ["b"] }, ["Alpha 100%", "beta_1"]],
    [{ tags: ["c", "a", "nobody's"] }, ["Alpha 100%", "gamma"]],
    [{ name: "ALPHA" }, ["ALPHABET", "Alpha 100%"]],
    [{ name: "%" }, ["Alpha 100%"]],
    [{ name: "_" }, ["beta_1"]],
    [{ name: "a", tags: ["b"], status: "ERROR", date_from: "2026-10-01" }, ["beta_1"]],
    [{ name: "' OR 1=1 --" }, []],
    [{ user_id: "#u" }, []],
  ])("%j select the matching traces", async (filters, expected) => {
    expect(await matched(filters)).toEqual(expected);
  });

  test("that are null have no effect", async () => {
    const nulls = { date_from: null, date_to: null, status: null, session_id: null, user_id: null, tags: null };
    const run = await startRun(client, { filters: { ...nulls, name: "gamma" } });

    expect(run).toMatchObject({ filters: { name: "gamma" }, total_traces: 1 });
  });

  test.each<readonly [object, readonly string[]]>([
    [{ names: "x" }, ["names"]],
    [{ Name: "x", has_errors: true, min_trace_count: 1 }, ["Name", "has_errors", "min_trace_count"]],
    [{ unknown: null }, ["unknown"]],
    [JSON.parse('{"__proto__":1}') as object, ["__proto__"]],
    [{ date_from: "yesterday", date_to: "2026-02-30" }, ["date_from", "date_to"]],
    [{ date_from: 5 }, ["date_from"]],
    [{ status: "error" }, ["status"]],
    [{ tags: "a" }, ["tags"]],
    [{ tags: [null] }, ["tags.0"]],
    [{ session_id: 1, user_id: {}, name: [] }, ["session_id", "user_id", "name"]],
    [{ name: { $ne: 1 } }, ["name"]],
    [{ name: "n".repeat(513) }, ["name"]],
  ])("%j are refused", async (filters, fields) => {
    const reply = await client.call(createTraceRun, { body: { metrics: ["task_completion"], filters } });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(fields.map((field) => `body.filters.${field}`));
  });
});

describe("the sample of a run", () => {
  const client = newProject(service);
  let ids: readonly string[];

  beforeAll(async () => {
    ids = await addTraces(client, 4);
  });

  test.each([
    [1, 4],
    [0.999, 3],
    [0.75, 3],
    [0.6, 2],
    [0.5, 2],
    [0.1, 1],
    [1e-9, 1],
  ])("at a rate of %d of 4 traces has %d, each once", async (sampling_rate, expected) => {
    const created = await startRun(client, { sampling_rate });
    const run = await endedRun(client, created);
    const sampledIds = (await scoresOf(client, run)).map(({ trace_id }) => trace_id);

    expect(created).toMatchObject({ sampling_rate, total_traces: expected });
    expect(run).toMatchObject({ status: "COMPLETED", evaluated_count: expected, total_traces: expected });
    expect(new Set(sampledIds).size).toBe(expected);
    expect(ids).toEqual(expect.arrayContaining(sampledIds));
  });

  test("at a rate of 0 is empty, and the run completes at once", async () => {
    const run = await endedRun(client, await startRun(client, { sampling_rate: 0 }));

    expect(run).toMatchObject({
      status: "COMPLETED",
      total_traces: 0,
      evaluated_count: 0,
      error_message: expect.any(String) as string,
    });
  });

  test.each([-0.1, 1.0001, "1", "", true, null, [], {}])("is refused at a rate of %j", async (sampling_rate) => {
    const reply = await client.call(createTraceRun, { body: { metrics: ["task_completion"], sampling_rate } });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["body.sampling_rate"]);
  });

  test("differs between runs", async () => {
    const many = newProject(service);
    await addTraces(many, 30);
    const samples = await Promise.all(
      [1, 2].map(async () => {
        const run = await endedRun(many, await startRun(many, { sampling_rate: 0.5 }));
        return (await scoresOf(many, run)).map(({ trace_id }) => trace_id).toSorted();
      }),
    );

    expect(samples.map(({ length }) => length)).toEqual([15, 15]);
    expect(samples[0]).not.toEqual(samples[1]);
  });
});
