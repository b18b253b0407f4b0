import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { deleteDataset } from "../../../../lib/contract/datasets/datasets.ts";
import { listDatasetItems } from "../../../../lib/contract/datasets/items.ts";
import { listLabelItems } from "../../../../lib/contract/labels/label-items.ts";
import { closeLabelSet, deleteLabelSet } from "../../../../lib/contract/labels/label-sets.ts";
import { computeTrust } from "../../../../lib/contract/labels/trust.ts";
import { approveExperiment } from "../../../../lib/contract/experiments/approval.ts";
import {
  compareExperiments,
  getExperiment,
  listExperimentItems,
} from "../../../../lib/contract/experiments/experiments.ts";
import { jsonSchemaOf } from "../../../../lib/contract/openapi/schema-of.ts";
import { schemaRegistry } from "../../../../lib/contract/openapi/schema-registry.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import { ingestLangfuse } from "../../../../lib/contract/langfuse/ingestion.ts";
import { createLangfuseScores } from "../../../../lib/contract/langfuse/scores.ts";
import { updateLangsmithFeedback } from "../../../../lib/contract/langsmith/feedback.ts";
import { ingestLangsmithBatch } from "../../../../lib/contract/langsmith/runs.ts";
import { importCustomMetric } from "../../../../lib/contract/metrics/metric-sources.ts";
import { exportTraces } from "../../../../lib/contract/otlp/export-traces.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { defaultBudget } from "../../../../lib/domain/request-work.ts";
import { accessStore } from "../../../../lib/store/access/project-lookup.ts";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { calledFunctions, type CalledFunctions, type Cost } from "../../../support/loads/called-functions.ts";
import { jsonExport, jsonSpan } from "../../../support/otlp/otlp.ts";
import { saveTraces } from "../../../support/traces/save-traces.ts";
import { someTrace } from "../../../support/traces/traces.ts";
import { changesOfTraces, largestBodies, type Load, loadsOf, storeLargeTrace } from "../../../support/loads/loads.ts";

let database: TestDatabase;
let functions: CalledFunctions;
let loads: Readonly<Record<string, Load>>;
beforeAll(async () => {
  database = await startDatabase();
  functions = await calledFunctions(database);
  loads = await loadsOf(functions);
});
afterAll(async () => {
  functions.close();
  await database.close();
});

/** True if the body of a route has a list in it. */
const hasList = ({ id, body }: Route): boolean => {
  if (body === undefined) return false;
  const registry = schemaRegistry();
  const schema = jsonSchemaOf(body, "input", registry, id);
  return /"type":(?:"array"|\[[^\]]*"array")/u.test(JSON.stringify([schema, registry.schemas]));
};

/** The first of the routes that one function serves with one body. */
const representative = ({ handler, body }: Route): Route | undefined =>
  routes.find((each) => each.handler === handler && each.body === body);

const routesWithList = routes.filter((route) => hasList(route) && representative(route) === route);

test("every route with a list in its body has requests to measure", () => {
  expect(routesWithList.length).toBeGreaterThanOrEqual(23);
  expect(routesWithList.filter(({ id }) => !(id in loads)).map(({ id }) => id)).toEqual([]);
});

/** Routes whose requests are small, and read or delete as much as is stored of an experiment, a dataset or a label set. */
const routesOverStored: readonly Route[] = [
  compareExperiments,
  approveExperiment,
  getExperiment,
  listExperimentItems,
  listDatasetItems,
  deleteDataset,
  listLabelItems,
  computeTrust,
  closeLabelSet,
  deleteLabelSet,
];

const costKinds = ["read_units", "write_units", "lookups", "provider_calls", "unpacked_bytes", "kilobytes"] as const;

/** Costs below which a growth is that of fixed parts. */
const least: Cost = {
  read_units: 4,
  write_units: 4,
  lookups: 4,
  provider_calls: 1,
  unpacked_bytes: 500_000,
  kilobytes: 8_192,
};

/** Returns the kind of cost that grows most, and the ratio. */
const growthOf = (few: Cost, many: Cost) =>
  costKinds
    .map((kind) => ({ kind, ratio: Math.max(many[kind], least[kind]) / Math.max(few[kind], least[kind]) }))
    .reduce((one, other) => (other.ratio > one.ratio ? other : one));

/** Costs of requests of each shape, with a number of items and with four times as many. */
const measured = async (route: Route, count: number, shapes: Load["shapes"] = {}) => {
  const requests = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const few = await functions.measure(route, await shape(count));
    const many = await functions.measure(route, await shape(4 * count));
    requests.push({ name, few, many });
  }
  return requests;
};

test.each([...routesWithList, ...routesOverStored].map((route) => [route.id, route] as const))(
  "%s does at most five times the work for four times the items, and reads once what all items are about",
  async (id, route) => {
    const { count = 5, shapes, readOnce, ownReads = 0 } = loads[id] ?? { shapes: {} };
    const requests = await measured(route, count, shapes);
    const sameReads = await measured(route, count, readOnce);
    const statuses = [...requests, ...sameReads].flatMap(({ few, many }) => [few.status, many.status]);
    const growths = [...requests, ...sameReads].map(({ name, few, many }) => ({
      name,
      growth: growthOf(few.cost, many.cost),
    }));
    const readAgain = sameReads.filter(
      ({ few, many }) =>
        many.cost.read_units > few.cost.read_units + least.read_units + 3 * count * ownReads ||
        many.cost.unpacked_bytes > few.cost.unpacked_bytes + least.unpacked_bytes,
    );

    expect(growths.filter(({ growth }) => growth.ratio > 5)).toEqual([]);
    expect(readAgain).toEqual([]);
    // A request that is refused for its form would be cheap, whatever it has in it.
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(Math.min(...statuses)).toBeLessThan(300);
  },
);

/** A route of each way to read a body. */
const readers = [createTrace, importCustomMetric, createLangfuseScores, ingestLangsmithBatch, exportTraces];

test.each(
  readers.flatMap((route: Route) =>
    Object.entries(largestBodies).map(([name, body]) => [route.id, name, route, body] as const),
  ),
)("%s allocates little for a body of 4 MiB of %s", async (_id, _name, route, { text, maxKilobytes }) => {
  const { status, cost } = await functions.measure(route, { text });

  expect(status).toBeLessThan(500);
  expect(cost.kilobytes).toBeLessThan(maxKilobytes);
});

describe("a request that changes many large traces", () => {
  const bytes = 15_000_000;
  const traces = Array.from({ length: 13 }, () => randomUUID());
  beforeAll(async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    for (const id of traces) await storeLargeTrace(functions.answer, id, bytes);
    vi.restoreAllMocks();
  });

  test.each([
    [createTraces, changesOfTraces.createTraces, 202],
    [exportTraces, changesOfTraces.exportTraces, 200],
    [ingestLangsmithBatch, changesOfTraces.ingestLangsmithRuns, 202],
    [ingestLangfuse, changesOfTraces.ingestLangfuse, 207],
  ] as const)("changes as many as its budget has room for, and tells which not: $id", async (route, send, status) => {
    // On a busy machine an ingest request is answered before its budget ends.
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const reply = await functions.measure(route, send(traces), { isSampled: false }).finally(() => vi.useRealTimers());

    expect(reply.status).toBe(status);
    expect(JSON.stringify([reply.body, reply.headers])).toContain(
      "more than 167772160 bytes of stored traces: send less in one request",
    );
    expect(reply.cost.unpacked_bytes).toBeGreaterThan(defaultBudget.unpackedBytes);
    expect(reply.cost.unpacked_bytes).toBeLessThan(defaultBudget.unpackedBytes + 2 * bytes);
  });
});

test("a trace of ten observations by Langfuse's events costs at most a quarter more write units than by OpenTelemetry", async () => {
  const [trace, hex] = [randomUUID(), randomUUID().replaceAll("-", "")];
  const text = (at: number): string =>
    `Where is my order ${at}? ${randomUUID()}${"It left our warehouse. ".repeat(40)}`;
  const spanId = (at: number): string => String(at + 1).padStart(16, "0");
  const time = (at: number): string => `2026-11-21T09:00:${String(at).padStart(2, "0")}Z`;
  const content = Array.from({ length: 10 }, (_, at) => ({
    input: text(at),
    output: text(at),
    metadata: { step: at },
  }));
  const event = (type: string, at: number, body: object) => ({ id: randomUUID(), type, timestamp: time(at), body });
  const batch = [
    event("trace-create", 0, { id: trace, name: "agent", sessionId: "s", userId: "u", timestamp: time(0) }),
    ...content.flatMap(({ input, output, metadata }, at) => [
      event("generation-create", at, {
        id: spanId(at),
        traceId: trace,
        name: "chat",
        startTime: time(at),
        input,
        metadata,
      }),
      event("generation-update", at + 1, {
        id: spanId(at),
        traceId: trace,
        endTime: time(at + 1),
        output,
        model: "gpt-4o",
      }),
    ]),
  ];
  const spans = content.map(({ input, output, metadata }, at) =>
    jsonSpan(
      hex,
      spanId(at),
      {
        name: "chat",
        startTimeUnixNano: `${Date.parse(time(at))}000000`,
        endTimeUnixNano: `${Date.parse(time(at + 1))}000000`,
      },
      {
        "session.id": "s",
        "user.id": "u",
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": JSON.stringify(input),
        "langfuse.observation.output": JSON.stringify(output),
        "langfuse.observation.model.name": "gpt-4o",
        "langfuse.observation.metadata.step": String(metadata.step),
      },
    ),
  );

  const byOpenTelemetry = await functions.measure(exportTraces, { body: jsonExport(spans) });
  const byEvents = await functions.measure(ingestLangfuse, { body: { batch } });
  const later = await functions.measure(ingestLangfuse, { body: { batch } });

  expect([byOpenTelemetry.status, byEvents.status]).toEqual([200, 207]);
  expect(byOpenTelemetry.cost.write_units).toBeGreaterThan(3);
  expect(byEvents.cost.write_units).toBeLessThanOrEqual(1.25 * byOpenTelemetry.cost.write_units);
  // Events that are sent again change nothing.
  expect(later.cost.write_units).toBe(0);
});

test("a change of a feedback that none of a hundred projects has is a few requests to the database", async () => {
  const { findOrCreateProject } = accessStore(database, 1000);
  for (let at = 0; at < 99; at += 1) await findOrCreateProject(functions.organizationId, `p${at}`);
  const sent = { params: { feedback_id: randomUUID() }, body: { score: 0 }, isWithoutProject: true } as const;

  const { status, cost } = await functions.measure(updateLangsmithFeedback, sent);

  expect(status).toBe(404);
  expect(cost.lookups).toBeLessThan(10);
});

test("changes of a trace's runs that name none of a hundred projects are looked for once", async () => {
  const started_at = "2026-10-01T10:00:00+00:00";
  const spans = Array.from({ length: 15 }, () => ({ span_id: randomUUID(), name: "x", started_at }));
  const trace_id = randomUUID();
  // One of the newest hundred, whatever other tests have created.
  const { id: project } = await accessStore(database, 1000).findOrCreateProject(functions.organizationId, "newest");
  await saveTraces(database, project, [someTrace({ trace_id, started_at, spans })]);
  const send = (count: number) => {
    const patch = spans.slice(0, count).map(({ span_id: id }) => ({ id, trace_id, outputs: { x: randomUUID() } }));
    return functions.measure(ingestLangsmithBatch, { body: { patch }, isWithoutProject: true });
  };

  const [one, many] = [await send(1), await send(15)];

  expect([one.status, many.status]).toEqual([202, 202]);
  expect(one.cost.read_units).toBeGreaterThan(100);
  expect(many.cost.read_units).toBeLessThan(one.cost.read_units + 100);
});

const emptyLists = (bytes: number): string => `[${"[],".repeat(bytes / 3)}0]`;

test.each<readonly [string, readonly string[]]>([
  ["one text", [emptyLists(3_000_000)]],
  ["numbers with their notation", [`[${"1.0,".repeat(700_000)}0]`]],
  ["a text in a text", [JSON.stringify([{ role: "tool", content: emptyLists(3_000_000) }])]],
  ["one text many times", Array<string>(100).fill(emptyLists(30_000))],
  ["many texts", Array.from({ length: 100 }, (_, at) => `[${at},${emptyLists(30_000)}]`)],
  ["two texts, of which one is short", [emptyLists(3_000_000), '[{"role":"user","content":"x"}]']],
])("JSON in attributes costs little, also with later spans of its trace: %s", async (_name, texts) => {
  for (const key of ["gen_ai.input.messages", "input.value"]) {
    const trace = randomUUID().replaceAll("-", "");
    const spans = texts.map((text, at) =>
      jsonSpan(trace, String(at + 1).padStart(16, "0"), { attributes: [{ key, value: { stringValue: text } }] }),
    );
    const first = await functions.measure(exportTraces, { body: jsonExport(spans) });
    const later = await functions.measure(exportTraces, { body: jsonExport([jsonSpan(trace, "f".repeat(16))]) });

    expect(first.body).toContain("are stored as texts.");
    expect(later.body).toBe("{}");
    // Up to 86,000, and more if a request to the database is sent again.
    expect(Math.max(first.cost.kilobytes, later.cost.kilobytes)).toBeLessThan(130_000);
  }
});
