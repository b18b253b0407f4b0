import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { listOrganizations } from "../../../../lib/contract/access/organizations.ts";
import { createCustomMetric } from "../../../../lib/contract/metrics/custom-metrics.ts";
import { createAlert } from "../../../../lib/contract/monitors/alerts.ts";
import { createMonitor, getMonitor, triggerMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { isPart, partOf, partsOf, type Part } from "../../../../lib/contract/schema/schema-part.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { createTraceRun, getTraceRun, listTraceRuns } from "../../../../lib/contract/runs/trace-runs.ts";
import { createSessionScore } from "../../../../lib/contract/scores/session-scores.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTrace, getTrace } from "../../../../lib/contract/traces/traces.ts";
import { storeDatasetThings } from "../../../support/datasets.ts";
import { storeLabelThings } from "../../../support/labels.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { callerOf, idName, neededQuery, project, routesByName } from "../../../support/service/every-route.ts";
import { sample } from "../../../support/sample.ts";

const service = inject("service");

const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/u;

const partsWithin = ({ entries = {}, item, wrapped, options = [] }: Part): readonly Part[] =>
  [item, wrapped, ...Object.values(entries), ...options].filter(isPart);

/** True if a schema is that of an instant, as in replies or as in requests. */
const isInstant = ({ metadata }: Part): boolean => {
  const { format, examples } = metadata?.jsonSchema?.output ?? {};
  return format === "date-time" || /^\d{4}-\d\d-\d\dT/u.test(String(examples?.[0]));
};

/** True if a schema contains an instant. */
const hasInstant = (schema: Part): boolean => {
  const parts = partsOf(schema);
  return parts.some(isInstant) || partsWithin(parts[0] ?? schema).some(hasInstant);
};

/** Fields with data that is returned as it was sent, whose times keep their form. */
const freeForm = new Set([
  "input",
  "output",
  "metadata",
  "token_usage",
  "model_parameters",
  "cost",
  "definition",
  "filters",
]);

/** Every text of a reply that begins with a date and time, except in free-form data. */
const timesIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\dT/u.test(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (freeForm.has(name) ? [] : timesIn(each)));
};

/** Query parameters that a route needs for a reply with times. */
const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getTraceAnalytics: { metric: "volume", started_after: "2026-10-01", started_before: "2026-10-02" },
  getSessionAnalytics: { started_after: "2026-10-01", started_before: "2026-10-02" },
  getTraceScoreTrend: { metric_name: "a" },
  getSessionScoreTrend: { metric_name: "a" },
  compareSessionScores: { metric_name: "a" },
  getTrust: { metric: "helpful" },
  listLangfuseDatasetItems: { datasetName: "instants" },
};

const reading = routes.filter(({ method, reply }) => method === "GET" && hasInstant(partOf(reply)));

/** Routes whose replies have no times here: their lists stay empty, or their reply has none. */
const empty = new Set([
  "listInvitations",
  "listMyInvitations",
  "listDeletions",
  "listMyDeletions",
  "listRepricings",
  "listExportDays",
  "listInvoices",
  "listPrices",
  "listFirings",
  "listAlertHistory",
  "listSessionRuns",
  "getSessionRun",
  "listSessionRunScores",
  "getRunTemplate",
  "getRunTemplateShort",
]);

/** Filters of a run, with the ends of the range in two forms. */
const filters = { date_from: "2026-10-01", date_to: "2026-10-02T00:00:00Z" };

/** Free-form data with times that have no fraction of a second. */
const data = { started_at: "2026-10-01T10:00:00+00:00", at: "2026-10-01" };
const started_at = "2026-10-01T10:00:00Z";

/** Ids of entities to read, by the name of the path parameter. */
let things: Readonly<Record<string, string>>;

beforeAll(async () => {
  const [session_id, span_id] = [randomUUID(), randomUUID()];
  const span = { span_id, name: "y", kind: "LLM", started_at, ended_at: started_at, metadata: data };
  const { trace_id } = await project.answer(createTrace, {
    body: { name: "x", started_at, session_id, user_id: "u", input: data, metadata: data, spans: [span] },
  });
  const { id: score_id } = await project.answer(createTraceScore, { body: { trace_id, name: "a", value: "1" } });
  await project.answer(createSessionScore, { body: { session_id, name: "a", value: "1" } });
  const metrics = ["task_completion"];
  const { id: run_id } = await project.answer(createTraceRun, { body: { metrics, filters } });
  await endedRun(project, { id: run_id });
  const monitor = { name: "z", target_type: "TRACE", metrics, cadence: "weekly", filters };
  const { id: monitor_id } = await project.answer(createMonitor, { body: monitor });
  await project.answer(triggerMonitor, { params: { monitor_id } });
  const metric = { name: `m${randomUUID().replaceAll("-", "")}`, description: "Evaluates something." };
  const { name: metric_name } = await project.answer(createCustomMetric, { body: metric });
  const user = callerOf(listOrganizations);
  const organizations = await user.page(listOrganizations, { query: { limit: 1 } });
  const org_id = "items" in organizations ? (organizations.items[0]?.id ?? "") : "";
  const { id: key_id } = await user.answer(createApiKey, { params: { org_id }, body: { name: "instants" } });
  const alert = { name: "busy", signal: "volume", window: "1h", threshold: 1 };
  const { id: alert_id } = await project.answer(createAlert, { body: alert });
  things = {
    trace_id,
    session_id,
    span_id,
    run_id,
    monitor_id,
    alert_id,
    metric_name,
    score_id,
    org_id,
    key_id,
    ...(await storeDatasetThings(project, data, "instants")),
    ...(await storeLabelThings(project)),
  };
});

test.each(sample("instants", routesByName(reading)))(
  "every time in the reply of %s has microseconds and its offset",
  async (_name, route) => {
    const score_id = things[idName(route, "score_id")] ?? "";
    const params = { ...things, score_id, project_id: service.tenant.projectId };
    const readTimes = async () => {
      const { status, body } = await callerOf(route).call(route, {
        params,
        query: queries[route.id] ?? neededQuery(route, params),
      });
      const times = timesIn(body);
      return status === 200 && times.length === 0 && !empty.has(route.id) ? undefined : { status, times };
    };
    // Analytics lag writes by seconds.
    const { status, times } = await eventually(readTimes);

    expect(times.filter((time) => !form.test(time))).toEqual([]);
    expect(empty.has(route.id) ? [] : [route.id, status, times.length > 0]).toEqual(
      empty.has(route.id) ? [] : [route.id, 200, true],
    );
  },
);

test("the filters of a run and of a monitor are returned as they were sent", async () => {
  const params = { run_id: things["run_id"] ?? "", monitor_id: things["monitor_id"] ?? "" };
  const [run, runs, ofMonitor] = [
    await project.answer(getTraceRun, { params }),
    await project.page(listTraceRuns),
    await project.answer(getMonitor, { params }),
  ];

  expect([run.filters, runs.items.find(({ id }) => id === params.run_id)?.filters, ofMonitor.filters]).toEqual([
    filters,
    filters,
    filters,
  ]);
});

test("free-form data keeps the form of its times", async () => {
  const { input, metadata, spans } = await project.answer(getTrace, { params: { trace_id: things["trace_id"] ?? "" } });

  expect([input, metadata, spans[0]?.metadata]).toEqual([data, data, data]);
});
