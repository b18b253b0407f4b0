import { randomUUID } from "node:crypto";
import { exportTraces } from "../../lib/contract/otlp/export-traces.ts";
import type { Route } from "../../lib/contract/route.ts";
import { createTraceRun } from "../../lib/contract/runs/trace-runs.ts";
import { createTraceScore } from "../../lib/contract/scores/trace-scores.ts";
import { createTraces } from "../../lib/contract/traces/batch.ts";
import { createTrace, getTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import { jsonExport, jsonSpan } from "../support/otlp/otlp.ts";
import { type Client, newProject } from "../support/service/client.ts";
import type { RunningService } from "../support/service/service.ts";
import { someTrace } from "../support/traces/traces.ts";
import { costOf, words } from "./cost.ts";
import type { CountedRequest } from "./counted-engine.ts";
import type { Vital } from "./vital.ts";

/** A frequently called route with a sample call. */
interface HotPath {
  readonly name: string;
  readonly route: Route;
  readonly call: (client: Client) => Promise<unknown>;
}

const { trace_id: _, ...unnamed } = someTrace();

const hotPaths = (traceId: string): readonly HotPath[] => [
  {
    name: "`POST /traces`",
    route: createTrace,
    call: (client) => client.answer(createTrace, { body: unnamed }),
  },
  {
    name: "`POST /traces` with an id",
    route: createTrace,
    call: (client) => client.answer(createTrace, { body: someTrace() }),
  },
  {
    name: "`POST /traces/batch` of 10",
    route: createTraces,
    call: (client) => client.answer(createTraces, { body: { traces: Array.from({ length: 10 }, () => unnamed) } }),
  },
  {
    name: "`POST /v1/traces` of a new trace",
    route: exportTraces,
    call: (client) => {
      const id = randomUUID().replaceAll("-", "");
      return client.answer(exportTraces, { body: jsonExport([jsonSpan(id, id.slice(0, 16))]) });
    },
  },
  { name: "`GET /traces`", route: listTraces, call: (client) => client.answer(listTraces) },
  {
    name: "`GET /traces/{id}`",
    route: getTrace,
    call: (client) => client.answer(getTrace, { params: { trace_id: traceId } }),
  },
  {
    name: "`POST /evaluations/trace-scores`",
    route: createTraceScore,
    call: (client) =>
      client.answer(createTraceScore, {
        body: { trace_id: traceId, name: "helpful", value: "1", source: "PROGRAMMATIC" },
      }),
  },
  {
    name: "`POST /evaluations/trace-runs` that nothing matches",
    route: createTraceRun,
    call: (client) =>
      client.answer(createTraceRun, { body: { metrics: ["task_completion"], filters: { name: "none" } } }),
  },
];

const warmCalls = 5;

/**
 * DynamoDB requests of calls by API key before the reply, in authorizer and endpoint. Cold: first call of new functions
 * in an existing project; warm: one of several calls within the 5 seconds for which keys are cached.
 */
export const hotPathVitals = async (
  service: RunningService,
  requests: readonly CountedRequest[],
): Promise<readonly Vital[]> => {
  const project = newProject(service);
  const { trace_id: storedTraceId } = await project.answer(createTrace, { body: unnamed });
  const vitals: Vital[] = [];
  for (const { name, route, call } of hotPaths(storedTraceId)) {
    const parts = { authorizer: /Authorizer/u, endpoint: new RegExp(`Routes${route.id}`, "iu") };
    const countRequests = async (calls: number): Promise<string> => {
      const from = requests.length;
      for (let finishedCalls = 0; finishedCalls < calls; finishedCalls += 1) await call(project);
      const madeRequests = requests.slice(from);
      return Object.entries(parts)
        .map(
          ([part, partRequests]) =>
            `${part} ${words(
              costOf(
                madeRequests.filter(({ caller }) => partRequests.test(caller)),
                calls,
              ),
            )}`,
        )
        .join("; ");
    };
    service.stack.functions.kill("Authorizer");
    service.stack.functions.kill("Routes");
    const cold = await countRequests(1);
    const warm = await countRequests(warmCalls);
    vitals.push({ name: `${name}, cold`, figure: cold }, { name: `${name}, warm`, figure: warm });
  }
  return vitals;
};
