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

/** A route that clients call often, and a call of it. */
interface HotPath {
  readonly name: string;
  readonly route: Route;
  readonly call: (client: Client) => Promise<unknown>;
}

const { trace_id: _, ...unnamed } = someTrace();

const hotPaths = (stored: string): readonly HotPath[] => [
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
    call: (client) => client.answer(getTrace, { params: { trace_id: stored } }),
  },
  {
    name: "`POST /evaluations/trace-scores`",
    route: createTraceScore,
    call: (client) =>
      client.answer(createTraceScore, {
        body: { trace_id: stored, name: "helpful", value: "1", source: "PROGRAMMATIC" },
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
 * What calls by key ask of DynamoDB before they are answered: the authorizer and the endpoint. Cold: the first call of new
 * functions, in a project that is there; warm: one of several within the 5 seconds for which keys are remembered.
 */
export const hotPathVitals = async (
  service: RunningService,
  requests: readonly CountedRequest[],
): Promise<readonly Vital[]> => {
  const project = newProject(service);
  const { trace_id: stored } = await project.answer(createTrace, { body: unnamed });
  const vitals: Vital[] = [];
  for (const { name, route, call } of hotPaths(stored)) {
    const parts = { authorizer: /Authorizer/u, endpoint: new RegExp(`Routes${route.id}`, "iu") };
    const counted = async (calls: number): Promise<string> => {
      const from = requests.length;
      for (let done = 0; done < calls; done += 1) await call(project);
      const made = requests.slice(from);
      return Object.entries(parts)
        .map(
          ([part, own]) =>
            `${part} ${words(
              costOf(
                made.filter(({ caller }) => own.test(caller)),
                calls,
              ),
            )}`,
        )
        .join("; ");
    };
    service.stack.functions.kill("Authorizer");
    service.stack.functions.kill("Routes");
    const cold = await counted(1);
    const warm = await counted(warmCalls);
    vitals.push({ name: `${name}, cold`, figure: cold }, { name: `${name}, warm`, figure: warm });
  }
  return vitals;
};
