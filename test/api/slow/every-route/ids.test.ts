import { randomUUID } from "node:crypto";
import { safeParse, type GenericSchema } from "valibot";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createCustomMetric } from "../../../../lib/contract/metrics/custom-metrics.ts";
import { createAlert } from "../../../../lib/contract/monitors/alerts.ts";
import { createMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../../support/in-turn.ts";
import { type Client, newProject } from "../../../support/service/client.ts";
import { storeDatasetThings } from "../../../support/datasets.ts";
import { storeLabelThings } from "../../../support/labels.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { callerOf, idName, minimalRequest, project } from "../../../support/service/every-route.ts";
import { problems } from "../../../support/reply-shape.ts";
import { sample } from "../../../support/sample.ts";

const service = inject("service");

interface Parameter {
  readonly route: Route;
  readonly name: string;
  readonly schema: GenericSchema;
}

const parameters = routes.flatMap((route): (readonly [string, Parameter])[] => {
  const entries =
    (route.params as { readonly entries?: Readonly<Record<string, GenericSchema>> } | undefined)?.entries ?? {};
  return Object.entries(entries).map(([name, schema]) => [
    `${name} of ${route.method} ${route.path}`,
    { route, name, schema },
  ]);
});

const isUuid = ({ schema }: Parameter): boolean =>
  safeParse(schema, randomUUID()).success && !safeParse(schema, "no uuid").success;

/** Ids of entities of a project that do not change, by the name of the path parameter. */
const createThings = async (client: Client): Promise<Readonly<Record<string, string>>> => {
  const [session_id, span_id] = [randomUUID(), randomUUID()];
  const started_at = "2026-10-01";
  const body = { name: "x", started_at, session_id, spans: [{ span_id, name: "y", started_at }] };
  const { trace_id } = await client.answer(createTrace, { body });
  const { id: run_id } = await client.answer(createTraceRun, { body: { metrics: ["task_completion"] } });
  await endedRun(client, { id: run_id });
  const monitor = { name: "z", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly" };
  const { id: monitor_id } = await client.answer(createMonitor, { body: monitor });
  const metric = { name: `m${randomUUID().replaceAll("-", "")}`, description: "Evaluates something." };
  const { name: metric_name } = await client.answer(createCustomMetric, { body: metric });
  const alert = { name: "busy", signal: "volume", window: "1h", threshold: 1 };
  const { id: alert_id } = await client.answer(createAlert, { body: alert });
  const { id: score_id } = await client.answer(createTraceScore, { body: { trace_id, name: "helpful", value: 1 } });
  const feedback_id = score_id;
  const ofDatasets = await storeDatasetThings(client);
  return {
    trace_id,
    session_id,
    span_id,
    run_id,
    monitor_id,
    alert_id,
    metric_name,
    score_id,
    feedback_id,
    ...ofDatasets,
    ...(await storeLabelThings(client)),
  };
};

let mine: Readonly<Record<string, string>>;
let foreign: readonly Readonly<Record<string, string>>[];

beforeAll(async () => {
  const otherProjects = [newProject(service), newProject(service, service.stranger)];
  [mine = {}, ...foreign] = await Promise.all([project, ...otherProjects].map(createThings));
});

const idIn = (things: Readonly<Record<string, string>>, { route, name }: Parameter): string => {
  const id = things[idName(route, name)];
  if (id === undefined) throw new Error(`Nothing is created here that ${name} of ${route.path} addresses.`);
  return id;
};

const ofProject = parameters.filter(([, { route }]) => route.access === "project");
const ofRead = ofProject.filter(([, parameter]) => isUuid(parameter) && parameter.route.method === "GET");

describe.each(sample("ids of projects", ofProject))("the id in %s", (_name, parameter) => {
  const { route, name } = parameter;

  test("is answered like an unknown one when it belongs to another project", async () => {
    const outcomeOf = async (id: string): Promise<string> => {
      const { status, text } = await minimalRequest(project, route, { ...mine, [name]: id });
      return `${status} ${text.replaceAll(id, "<id>")}`;
    };
    const unknown = await outcomeOf(randomUUID());

    expect(await inTurn(foreign, (things) => outcomeOf(idIn(things, parameter)))).toEqual(foreign.map(() => unknown));
    expect(unknown).toMatch(route.body === undefined ? /^404 |^200 (?:\[\]|.*"total":0)/ : /^4/);
  });
});

describe.each(sample("ids that are read", ofRead))("the id in %s", (_name, parameter) => {
  test("is case-insensitive", async () => {
    const { route, name } = parameter;
    const id = idIn(mine, parameter);
    const lower = await minimalRequest(project, route, { ...mine, [name]: id });
    const upper = await minimalRequest(project, route, { ...mine, [name]: id.toUpperCase() });

    expect(lower.status).toBe(200);
    expect(upper.text).toBe(lower.text);
  });
});

describe.each(
  sample(
    "uuids",
    parameters.filter(([, parameter]) => isUuid(parameter)),
  ),
)("the id in %s", (_name, { route, name }) => {
  test("must be a UUID", async () => {
    const id = randomUUID();
    const wrong = [
      "x",
      id.slice(1),
      `${id}0`,
      `{${id}}`,
      `urn:uuid:${id}`,
      `${id.replaceAll("-", "")}0`,
      id.replace("-", ""),
      `${id}\n`,
      `${id}\0`,
      `１${id.slice(1)}`,
      "../x",
      "%2e%2e",
      "a".repeat(4000),
    ];
    const replies = await inTurn(wrong, (each) => minimalRequest(callerOf(route), route, { ...mine, [name]: each }));

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(
      replies.map(() => [422, expect.arrayContaining([`path.${name}`])]),
    );
  });
});
