import { Presets, SingleBar } from "cli-progress";
import Table from "cli-table3";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { startLocal } from "../local-stack.ts";
import { shellProviders } from "../ssm/shell-providers.ts";
import { evalRun } from "../../../lib/contract/runs/run.ts";
import { traceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { demoTraces } from "./demo-traces.ts";

const ready = v.object({ base_url: v.string(), api_key: v.string() });
type Service = v.InferOutput<typeof ready> & { readonly close: () => Promise<void> };

const projectName = "demo";
const pollMilliseconds = 200;
const longestRun = 600_000;

/** The service that `npm start` runs, if it answers. */
const runningService = async (): Promise<Service | null> => {
  try {
    const path = resolve(import.meta.dirname, "../../../.local/ready.json");
    const known = v.parse(ready, JSON.parse(readFileSync(path, "utf8")));
    const reply = await fetch(`${known.base_url}/health`, { signal: AbortSignal.timeout(2000) });
    return reply.ok ? { ...known, close: async () => {} } : null;
  } catch {
    // Not running: one of our own is started.
    return null;
  }
};

const ownService = async (): Promise<Service> => {
  const directory = mkdtempSync(join(tmpdir(), "assay-demo-"));
  const stack = await startLocal({
    directory,
    port: 0,
    judgeModel: process.env["JUDGE_MODEL"] ?? "offline/rules",
    embeddingModel: process.env["EMBEDDING_MODEL"],
    providers: shellProviders(process.env),
  });
  return {
    base_url: stack.baseUrl,
    api_key: stack.credentials.apiKey,
    close: async () => {
      await stack.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const caller =
  ({ base_url: base, api_key: key }: Service) =>
  async (method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> => {
    const reply = await fetch(base + path, {
      method,
      headers: { "X-API-Key": key, "X-Project-Name": projectName, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`);
    return await reply.json();
  };

const demo = async (service: Service): Promise<void> => {
  const call = caller(service);
  const sent = new Map<string, string>();
  const tag = `demo-${Date.now()}`;
  for (const { title, trace } of demoTraces(Date.now(), tag)) {
    const { trace_id: id } = v.parse(v.object({ trace_id: v.string() }), await call("POST", "/traces", trace));
    sent.set(id, title);
  }
  console.log(`Sent ${sent.size} traces to ${service.base_url}, project ${projectName}.`);

  const order = { name: "demo", metrics: ["task_completion", "tool_correctness"], filters: { tags: [tag] } };
  let run = v.parse(evalRun, await call("POST", "/evaluations/trace-runs", order));
  const bar = new SingleBar(
    { format: "Judging {bar} {value}/{total} traces", noTTYOutput: true, notTTYSchedule: 500 },
    Presets.shades_classic,
  );
  bar.start(run.total_traces, 0);
  for (const deadline = Date.now() + longestRun; run.completed_at === null && Date.now() < deadline;) {
    await wait(pollMilliseconds);
    run = v.parse(evalRun, await call("GET", `/evaluations/trace-runs/${run.id}`));
    bar.update(run.evaluated_count);
  }
  bar.stop();

  const scores = v.parse(v.array(traceScore), await call("GET", `/evaluations/trace-runs/${run.id}/scores`));
  const table = new Table({
    head: ["trace", "metric", "score", "reason"],
    colWidths: [34, 18, 7, 60],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const [id, title] of sent) {
    const own = scores.filter(({ trace_id: trace }) => trace === id).toSorted((a, b) => a.name.localeCompare(b.name));
    for (const { name, value, status, reason } of own) table.push([title, name, value ?? status, reason ?? ""]);
  }
  console.log(table.toString());
  console.log(
    `Run ${run.id}: ${run.status}, judged by ${run.resolved_model}${run.error_message === null ? "" : `. ${run.error_message}`}`,
  );
};

const service = (await runningService()) ?? (await ownService());
try {
  await demo(service);
} finally {
  await service.close();
}
