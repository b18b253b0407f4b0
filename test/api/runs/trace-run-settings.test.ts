import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { createMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { createTraceBatchRun, createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { bareNamePrefixes, judgeProviders } from "../../../lib/domain/runs/model.ts";
import { newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { addTraces, scoresOf, startRun } from "../../support/runs/trace-runs.ts";

const service = inject("service");

describe("the metrics and the name of a run", () => {
  const client = newProject(service);
  const post = (body: object) => client.call(createTraceRun, { body });

  test("that are unknown for traces are all listed in the error", async () => {
    const metrics = [
      "task_completion",
      "nonsense",
      "loop_detection",
      "agent_reliability",
      "agent_consistency",
      "Task_Completion",
    ];
    const reply = await post({ metrics });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["body.metrics"]);
    for (const name of metrics.slice(1)) expect(reply.text).toContain(name);
    expect(reply.text).not.toMatch(/Unknown metrics: [^.]*\btask_completion/);
    expect(reply.text).toMatch(/Known are: [^.]*\btask_completion\b/u);
  });

  test.each<readonly [object, readonly string[]]>([
    [{}, ["metrics"]],
    [{ metrics: [] }, ["metrics"]],
    [{ metrics: null }, ["metrics"]],
    [{ metrics: "task_completion" }, ["metrics"]],
    [{ metrics: [1, "task_completion", {}] }, ["metrics.0", "metrics.2"]],
    [{ metrics: ["task_completion"], name: "" }, ["name"]],
    [{ metrics: ["task_completion"], name: "n".repeat(1025) }, ["name"]],
    [{ metrics: ["task_completion"], name: 5 }, ["name"]],
    [
      { metrics: [], name: "", sampling_rate: 2, model: "junk", filters: { x: 1 } },
      ["name", "metrics", "filters.x", "sampling_rate", "model"],
    ],
    [{ metrics: Array.from({ length: 100_000 }, () => "x") }, ["metrics"]],
    [{ metrics: ["task_completion"], filters: [] }, ["filters"]],
  ])("are refused when they are invalid, with an error for each field", async (body, fields) => {
    const reply = await post(body);

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(fields.map((field) => `body.${field}`));
  });

  test.each([" ", "n".repeat(1024), "名前", null])("accept the name %j", async (name) => {
    expect(await startRun(client, { name })).toMatchObject({ name });
  });
});

describe("the model of a run", () => {
  const empty = newProject(service);

  test.each([
    ["openai/gpt-5", "openai/gpt-5"],
    ["gpt-5-mini", "openai/gpt-5-mini"],
    ["o3-mini", "openai/o3-mini"],
    ["claude-sonnet-5", "anthropic/claude-sonnet-5"],
    ["gemini-3.1-flash-lite", "gemini/gemini-3.1-flash-lite"],
    ["vertex_ai/google/gemini-3.6-flash", "vertex_ai/google/gemini-3.6-flash"],
    ["custom/publishers/x/models/y", "custom/publishers/x/models/y"],
  ])("may be %s, which resolves to %s", async (model, resolved_model) => {
    expect(await startRun(empty, { model })).toMatchObject({ model, resolved_model });
  });

  test.each(["junk", "", "/", "/x", "x/", "gpt", "m".repeat(256), 5, {}])("must not be %j", async (model) => {
    const reply = await empty.call(createTraceRun, { body: { metrics: ["task_completion"], model } });

    expect(reply.status).toBe(422);
    expect(new Set(problems(reply))).toEqual(new Set(["body.model"]));
  });

  test("is refused with a list of the providers and of the prefixes that need none", async () => {
    const reply = await empty.call(createTraceRun, { body: { metrics: ["task_completion"], model: "junk" } });

    for (const name of [bareNamePrefixes, ...judgeProviders]) expect(reply.text).toContain(name);
  });

  test.each([
    ["openai/gpt-99", "The model openai/gpt-99 may not be asked, because its price is not known"],
    ["nobody/knows", "Provider 'nobody' is not known here. Known providers: openai, "],
    ["__proto__/x", "Provider '__proto__' is not known here"],
    ["constructor/x", "Provider 'constructor' is not known here"],
  ])("must not be %s, which has no price or provider, in a dry run neither", async (model, sentence) => {
    const body = { metrics: ["task_completion"], model };
    const trace_ids = [randomUUID()];
    const replies = [
      await empty.call(createTraceRun, { body }),
      await empty.call(createTraceRun, { body, query: { dry_run: "true" } }),
      await empty.call(createTraceBatchRun, { body: { ...body, trace_ids } }),
      await empty.call(createMonitor, { body: { ...body, name: "m", target_type: "TRACE", cadence: "daily" } }),
    ];

    for (const reply of replies) {
      expect(reply.status).toBe(422);
      expect(problems(reply)).toEqual(["body.model"]);
      expect(reply.text).toContain(sentence);
    }
  });

  test.each(["openai/gpt-5", "custom/x"])(
    "%s, which is not configured here, ends the run FAILED with advice",
    async (model) => {
      const client = newProject(service);
      await addTraces(client, 3);
      const run = await endedRun(
        client,
        await startRun(client, { model, metrics: ["task_completion", "tool_correctness"] }),
      );

      const provider = model.split("/")[0] ?? "";
      expect(run).toMatchObject({
        status: "FAILED",
        total_traces: 3,
        evaluated_count: 3,
        failed_count: 6,
        completed_at: expect.any(String) as string,
        error_message: expect.stringMatching(new RegExp(provider, "iu")) as string,
      });
      expect(run.error_message).toMatch(/configure|set|provider/i);
      expect(await scoresOf(client, run)).toEqual([]);
    },
  );
});
