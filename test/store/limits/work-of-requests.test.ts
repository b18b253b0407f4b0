import { afterAll, beforeAll, expect, test } from "vitest";
import { jsonSchemaOf } from "../../../lib/contract/openapi/schema-of.ts";
import { schemaRegistry } from "../../../lib/contract/openapi/schema-registry.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { createLangfuseScores } from "../../../lib/contract/langfuse/scores.ts";
import { ingestLangsmithBatch } from "../../../lib/contract/langsmith/runs.ts";
import { importCustomMetric } from "../../../lib/contract/metrics/metric-sources.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { calledFunctions, type CalledFunctions, type Cost } from "../../support/loads/called-functions.ts";
import { largestBodies, type Load, loadsOf } from "../../support/loads/loads.ts";

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
  expect(routesWithList.length).toBeGreaterThanOrEqual(25);
  expect(routesWithList.filter(({ id }) => !(id in loads)).map(({ id }) => id)).toEqual([]);
});

const costKinds = ["read_units", "write_units", "lookups", "provider_calls", "kilobytes"] as const;

/** Costs below which a growth is that of fixed parts. */
const least: Cost = { read_units: 4, write_units: 4, lookups: 4, provider_calls: 1, kilobytes: 8_192 };

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

test.each(routesWithList.map((route) => [route.id, route] as const))(
  "%s does at most five times the work for four times the items, and reads once what all items are about",
  async (id, route) => {
    const { count = 5, maxGrowth = 5, shapes, readOnce } = loads[id] ?? { shapes: {} };
    const requests = await measured(route, count, shapes);
    const sameReads = await measured(route, count, readOnce);
    const statuses = [...requests, ...sameReads].flatMap(({ few, many }) => [few.status, many.status]);
    const growths = [...requests, ...sameReads].map(({ name, few, many }) => ({
      name,
      growth: growthOf(few.cost, many.cost),
    }));
    const reads = sameReads.map(({ name, few, many }) => {
      const [fewReads, manyReads] = [few.cost, many.cost].map(({ read_units, lookups }) => ({ read_units, lookups }));
      return { name, fewReads, manyReads };
    });

    expect(growths.filter(({ growth }) => growth.ratio > maxGrowth)).toEqual([]);
    expect(reads).toEqual(reads.map(({ name, fewReads }) => ({ name, fewReads, manyReads: fewReads })));
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
