import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { exportTraces } from "../../lib/contract/otlp/export-traces.ts";
import { createTraceRun } from "../../lib/contract/runs/trace-runs.ts";
import { createTraceScore } from "../../lib/contract/scores/trace-scores.ts";
import { createTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import { firstStart } from "../bench/sample-traces.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { jsonExport, jsonSpan } from "../support/otlp/otlp.ts";
import { endedRun } from "../support/runs/ended-run.ts";
import { newProject } from "../support/service/client.ts";
import type { RunningService } from "../support/service/service.ts";
import { costOf, words } from "./cost.ts";
import type { CountedRequest } from "./counted-engine.ts";
import type { IdleSweep } from "./idle-bill.ts";
import type { Vital } from "./vital.ts";

/** Milliseconds, longer than the stream windows and the longest pause between background requests. */
const quietMilliseconds = 4_000;
const times = 20;
/** Number of traces stored at the end: one, one of OpenTelemetry, and twice the number sent per round. */
const storedCount = 2 + 2 * times;

const spanId = (): string => randomUUID().replaceAll("-", "").slice(0, 16);

const authorizer = /Authorizer/u;
const endpoint = /Routes/u;
const sweeper = /Sweep/u;
/** Requests of the runtime belong to no function. */
const isBehind = (caller: string): boolean => /Worker/u.test(caller) && !sweeper.test(caller);

/** Requests and units per call, by function. */
const vitalsOf = (name: string, requests: readonly CountedRequest[], count: number): readonly Vital[] => {
  const parts = [
    ["authorizer", (caller: string) => authorizer.test(caller)],
    ["endpoint and limiter", (caller: string) => endpoint.test(caller)],
    ["behind it", isBehind],
  ] as const;
  const costs = parts.map(([part, isIts]) => ({ part, requests: requests.filter(({ caller }) => isIts(caller)) }));
  return [
    {
      name,
      figure: words(
        costOf(
          costs.flatMap((cost) => cost.requests),
          count,
        ),
      ),
    },
    ...costs
      .filter((cost) => cost.requests.length > 0)
      .map((cost) => ({ name: `${name}: ${cost.part}`, figure: words(costOf(cost.requests, count)) })),
  ];
};

/** DynamoDB requests per call of a warm service: authorizer, rate limiter, endpoint and stream workers. */
export const requestVitals = async (
  service: RunningService,
  requests: readonly CountedRequest[],
  sample: readonly IdentifiedTrace[],
): Promise<readonly Vital[]> => {
  const project = newProject(service);
  const quiet = async (): Promise<void> => {
    for (let before = -1; before !== requests.length;) {
      before = requests.length;
      await wait(quietMilliseconds);
    }
  };
  /** Requests until all background work that follows has finished. */
  const countRequests = async (work: () => Promise<unknown>): Promise<readonly CountedRequest[]> => {
    await quiet();
    const from = requests.length;
    await work();
    await quiet();
    return requests.slice(from);
  };
  const each = async (work: (trace: IdentifiedTrace, index: number) => Promise<unknown>): Promise<void> => {
    for (const [index, trace] of sample.slice(0, times).entries()) await work(trace, index);
  };
  const send = (trace: IdentifiedTrace) => project.answer(createTrace, { body: { ...trace, trace_id: randomUUID() } });
  const score = (trace_id: string) =>
    project.answer(createTraceScore, { body: { trace_id, name: "helpful", value: "1", source: "PROGRAMMATIC" } });

  const [otlpTrace, root] = [randomUUID().replaceAll("-", ""), spanId()];
  // Of the same day as the sample: a list reads each day of its page.
  const start = { startTimeUnixNano: `${firstStart}000000`, endTimeUnixNano: `${firstStart}000000` };
  const sendSpan = (span: string, fields = {}) =>
    project.answer(exportTraces, { body: jsonExport([jsonSpan(otlpTrace, span, { ...start, ...fields })]) });

  // Warms up the functions, the project cache and the list of days.
  const { trace_id } = await send(sample[0] as IdentifiedTrace);
  await each(send);
  await project.answer(listTraces);
  await score(trace_id);
  await sendSpan(root);

  const ingestRequests = await countRequests(() => each(send));
  const spanRequests = await countRequests(() => each(() => sendSpan(spanId(), { parentSpanId: root })));
  const listRequests = await countRequests(() => each(() => project.answer(listTraces)));
  const scored = await countRequests(() => each(() => score(trace_id)));
  const judged = await countRequests(async () => {
    await endedRun(project, await project.answer(createTraceRun, { body: { metrics: ["task_completion"] } }));
  });
  return [
    ...vitalsOf("`POST /traces`, warm", ingestRequests, times),
    ...vitalsOf("`POST /v1/traces` of one more span", spanRequests, times),
    ...vitalsOf("`GET /traces`, a default page", listRequests, times),
    ...vitalsOf("`POST /evaluations/trace-scores`", scored, times),
    {
      name: `a score of the judge, one of ${storedCount} in a run`,
      figure: words(
        costOf(
          judged.filter(({ caller }) => isBehind(caller)),
          storedCount,
        ),
      ),
    },
  ];
};

/** Number of sweeps, of which the cheapest counts; the first ones finish earlier work. */
const sweeps = 4;

/** DynamoDB requests of a sweep without work. @param name name of the sweeper's function. */
export const idleSweep = async (
  { stack }: RunningService,
  requests: readonly CountedRequest[],
  name: string,
): Promise<IdleSweep> => {
  const costs: ReturnType<typeof costOf>[] = [];
  while (costs.length < sweeps) {
    const from = requests.length;
    await stack.functions.invoke(name, {});
    costs.push(
      costOf(
        requests.slice(from).filter(({ caller }) => caller === name),
        1,
      ),
    );
  }
  return costs.reduce((cheapest, cost) => (cost.read + cost.write < cheapest.read + cheapest.write ? cost : cheapest));
};
