/** Measures a filtered run of 1,000 targets through the whole local service, and models the same run on AWS. */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Table from "cli-table3";
import { literal, number, object, parse, safeParse, string } from "valibot";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { targetsPerSlice } from "../../lib/domain/runs/slice.ts";
import { caller, type Call } from "../model/caller.ts";
import { startService } from "../support/service/service.ts";
import { simulateRun } from "./lambda-model.ts";
import { median } from "./median.ts";
import { startMockJudge } from "./mock-judge.ts";

const targets = 1000;
const metrics = ["confidence"];
/** Latency of the mock judge in milliseconds, and of a slow judge in the model in seconds. */
const [latency, slowJudge] = [200, 2];
/** Concurrent judge calls per worker, and workers, by default. */
const [callsAtATime, workersByDefault] = [20, 5];
const senders = 16;

const created = object({ id: string(), total_traces: number() });
const running = object({ status: string(), failed_count: number() });
const sliceLine = object({ event: literal("work_item_completed"), worker: literal("judge-slice"), ms: number() });

const storeTraces = async (call: Call, traces: readonly IdentifiedTrace[]): Promise<void> => {
  const queue = Array.from({ length: targets }, (_, index) => traces[index % traces.length]).values();
  const lane = async (): Promise<void> => {
    for (const trace of queue) {
      const body = JSON.stringify({ ...trace, trace_id: randomUUID() });
      const { status } = await call("POST", "/traces", { body });
      if (status !== 202) throw new Error(`A trace was answered ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: senders }, lane));
};

/** Milliseconds per delivery of a slice, from the logs of the judge's function. */
const sliceTimes = (directory: string): readonly number[] =>
  readdirSync(join(directory, "logs"))
    .filter((file) => file.includes("JudgeSlice"))
    .flatMap((file) =>
      readFileSync(join(directory, "logs", file), "utf8")
        .trim()
        .split("\n"),
    )
    .flatMap((line) => {
      const sliceEvent = safeParse(sliceLine, JSON.parse(line));
      return sliceEvent.success ? [sliceEvent.output.ms] : [];
    });

/** Seconds from the request to the end of a run of all traces. */
const timeRun = async (call: Call): Promise<number> => {
  const started = performance.now();
  const order = { metrics, filters: { date_from: "2020-01-01" }, model: "custom/judge" };
  const { value } = await call("POST", "/evaluations/trace-runs", { body: JSON.stringify(order) });
  const { id, total_traces } = parse(created, value);
  if (total_traces !== targets) throw new Error(`The run has ${total_traces} targets.`);
  for (;;) {
    const { value } = await call("GET", `/evaluations/trace-runs/${id}`);
    const { status, failed_count } = parse(running, value);
    if (status === "COMPLETED" && failed_count === 0) return (performance.now() - started) / 1000;
    if (status === "FAILED" || failed_count > 0) throw new Error(`The run is ${status}, ${failed_count} failed.`);
    await wait(50);
  }
};

/** Prints the run's duration on this machine, and its modelled duration and cost on AWS. */
export const benchJudgeRun = async (traces: readonly IdentifiedTrace[]): Promise<void> => {
  const mock = await startMockJudge(latency);
  const service = await startService({
    sharedThreads: false,
    limitFactor: 300,
    providers: { custom: { baseUrl: mock.url } },
  });
  try {
    const call = caller(service.baseUrl, { "X-API-Key": service.tenant.apiKey, "X-Project-Name": "bench" });
    await storeTraces(call, traces);
    const seconds = await timeRun(call);
    const slice = median(sliceTimes(service.directory)) / 1000;
    const perSlice = targetsPerSlice({ total: targets, metrics, targetType: "TRACE" });
    const slices = Math.ceil(targets / perSlice);
    const turns = Math.ceil((perSlice * metrics.length) / callsAtATime);
    const ownCpu = Math.max(0, slice - (turns * latency) / 1000);
    console.log(
      `a filtered run of ${targets} traces over HTTP, the whole service on this machine, judge of ${latency} ms: ` +
        `${seconds.toFixed(2)} s; a slice of ${perSlice} takes ${slice.toFixed(2)} s, ${ownCpu.toFixed(2)} s of it beside its judge`,
    );
    const head = ["modelled for AWS: judge answers in", "workers at a time", "seconds", "Lambda and SQS, US dollars"];
    const table = new Table({ head, style: { head: [], border: [] } });
    for (const judge of [latency / 1000, slowJudge]) {
      for (const workers of [workersByDefault, slices]) {
        const modelled = simulateRun({ slices, sliceSeconds: ownCpu + turns * judge, workers });
        table.push([`${judge} s`, workers, modelled.seconds.toFixed(1), modelled.dollars.toFixed(5)]);
      }
    }
    console.log(table.toString());
  } finally {
    await service.close();
    await mock.close();
  }
};
