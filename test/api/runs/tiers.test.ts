import type { InferOutput } from "valibot";
import { expect, inject, test } from "vitest";
import type { runEstimate } from "../../../lib/contract/runs/estimate.ts";
import { createMonitor, triggerMonitor, updateMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { createTraceRun, getTraceRun, retryTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { addTrace, addTraces, scoresOf, startRun } from "../../support/runs/trace-runs.ts";
import { problems } from "../../support/reply-shape.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");

test("a run is judged at the tier that it names, by default at the standard one, and its scores have the actual tier where another was requested", async () => {
  const client = newProject(service);
  await addTrace(client);

  const [usual, flex] = [await startRun(client), await startRun(client, { tier: "flex" })];
  await Promise.all([usual, flex].map((run) => endedRun(client, run)));
  const metadata = await Promise.all([usual, flex].map(async (run) => (await scoresOf(client, run))[0]?.metadata));

  expect([usual.tier, flex.tier]).toEqual(["standard", "flex"]);
  expect(metadata[0]).not.toHaveProperty("tier");
  // The offline judge has the standard tier only.
  expect(metadata[1]).toMatchObject({ tier: "standard" });
});

test("the flex tier halves an estimate for models that offer it, while the reservation is that of the standard tier", async () => {
  const client = newProject(service);
  await addTraces(client, 2);
  const query = { dry_run: "true" };
  const estimateOf = async (model: string, tier?: string) => {
    const { text } = await client.call(createTraceRun, { query, body: { metrics: ["task_completion"], model, tier } });
    return JSON.parse(text) as { cost_usd: number; set_aside_usd: number };
  };

  const [standard, flex] = [await estimateOf("openai/gpt-5.4-mini"), await estimateOf("openai/gpt-5.4-mini", "flex")];
  const [standardEstimate, flexEstimate] = [
    await estimateOf("openai/gpt-4.1"),
    await estimateOf("openai/gpt-4.1", "flex"),
  ];

  expect(standard.cost_usd).toBeGreaterThan(0);
  expect(flex.cost_usd).toBeCloseTo(standard.cost_usd / 2, 8);
  expect(flex.set_aside_usd).toBe(standard.set_aside_usd);
  expect(flexEstimate).toEqual(standardEstimate);
});

test("an estimate shows three cheaper judges and tiers, with and without the provider's cache", async () => {
  const client = newProject(service);
  await addTraces(client, 2);
  const estimateOf = async (model: string) =>
    JSON.parse(
      (
        await client.call(createTraceRun, {
          query: { dry_run: "true" },
          body: { metrics: ["task_completion", "tool_correctness"], model },
        })
      ).text,
    ) as InferOutput<typeof runEstimate>;

  const [mini, luna] = [await estimateOf("openai/gpt-5.4-mini"), await estimateOf("openai/gpt-6-luna")];

  expect(mini.alternatives).toEqual([
    expect.objectContaining({ model: "openai/gpt-6-luna", tier: "flex" }),
    {
      model: "openai/gpt-6-luna",
      tier: "standard",
      cost_usd: luna.cost_usd,
      cached_cost_usd: luna.cached_cost_usd,
    },
    expect.objectContaining({ model: "anthropic/claude-haiku-5-5", tier: "standard" }),
  ]);
  expect(mini.cached_cost_usd).toBeLessThan(Number(mini.cost_usd));
});

test("a monitor's runs, and retries, are judged at the monitor's tier", async () => {
  const client = newProject(service);
  await addTrace(client);
  const body = { name: "nightly", target_type: "TRACE", metrics: ["task_completion"], cadence: "daily" } as const;
  const monitor = await client.answer(createMonitor, { body: { ...body, tier: "flex", model: "custom/x" } });
  const params = { monitor_id: monitor.id };

  const run = await endedRun(client, await client.answer(triggerMonitor, { params }));
  const retry = await client.answer(retryTraceRun, { params: { run_id: run.id } });
  const changed = await client.answer(updateMonitor, { params, body: { tier: null } });

  expect([monitor.tier, run.tier, retry.tier, changed.tier]).toEqual(["flex", "flex", "flex", null]);
  expect(await client.answer(getTraceRun, { params: { run_id: run.id } })).toMatchObject({ tier: "flex" });
});

test("an unknown tier is refused", async () => {
  const reply = await newProject(service).call(createTraceRun, {
    body: { metrics: ["task_completion"], tier: "batch" },
  });

  expect([reply.status, problems(reply)]).toEqual([422, ["body.tier"]]);
});
