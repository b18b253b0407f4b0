import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { createTraceRun } from "../../lib/contract/runs/trace-runs.ts";
import { createTraceScore } from "../../lib/contract/scores/trace-scores.ts";
import { createTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { endedRun } from "../support/runs/ended-run.ts";
import { newProject } from "../support/service/client.ts";
import type { RunningService } from "../support/service/service.ts";
import { costOf, words } from "./cost.ts";
import type { CountedRequest } from "./counted-engine.ts";
import type { IdleSweep } from "./idle-bill.ts";
import type { Vital } from "./vital.ts";

/** Longer than the windows in which streams are folded, and than the longest pause in between. */
const quietMilliseconds = 4_000;
const times = 20;
/** Traces that are there at the end: one, and twice as many as are sent at a time. */
const stored = 1 + 2 * times;

const authorizer = /Authorizer/u;
const endpoint = /Routes/u;
const sweeper = /Sweep/u;
/** The runtime's own requests are nobody's. */
const isBehind = (caller: string): boolean => /Worker/u.test(caller) && !sweeper.test(caller);

/** What was done for each call, by who did it. */
const vitalsOf = (name: string, requests: readonly CountedRequest[], done: number): readonly Vital[] => {
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
          done,
        ),
      ),
    },
    ...costs
      .filter((cost) => cost.requests.length > 0)
      .map((cost) => ({ name: `${name}: ${cost.part}`, figure: words(costOf(cost.requests, done)) })),
  ];
};

/** What calls of a warm service ask of DynamoDB, whoever asks it: authorizer, limiter, endpoint, and the streams' workers behind them. */
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
  /** What is asked until everything that follows from the work has come to rest. */
  const counted = async (work: () => Promise<unknown>): Promise<readonly CountedRequest[]> => {
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

  // Warm: the functions run, the project is known and its days have an item.
  const { trace_id } = await send(sample[0] as IdentifiedTrace);
  await each(send);
  await project.answer(listTraces);
  await score(trace_id);

  const sent = await counted(() => each(send));
  const listed = await counted(() => each(() => project.answer(listTraces)));
  const scored = await counted(() => each(() => score(trace_id)));
  const judged = await counted(async () => {
    await endedRun(project, await project.answer(createTraceRun, { body: { metrics: ["task_completion"] } }));
  });
  return [
    ...vitalsOf("`POST /traces`, warm", sent, times),
    ...vitalsOf("`GET /traces`, a default page", listed, times),
    ...vitalsOf("`POST /evaluations/trace-scores`", scored, times),
    {
      name: `a score of the judge, one of ${stored} in a run`,
      figure: words(
        costOf(
          judged.filter(({ caller }) => isBehind(caller)),
          stored,
        ),
      ),
    },
  ];
};

/** Sweeps of which the least is told: the first ones finish what the calls before them have left. */
const sweeps = 4;

/** What the sweeper asks of DynamoDB when there is nothing to do. @param name of its function */
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
  return costs.reduce((least, cost) => (cost.read + cost.write < least.read + least.write ? cost : least));
};
