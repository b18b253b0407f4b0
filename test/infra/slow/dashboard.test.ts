import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { beforeAll, expect, test, vi } from "vitest";
import { routeQuery } from "../../../infra/dashboard.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { publishedMetrics } from "../../../lib/published-metrics.ts";
import { openGuard } from "../../../lib/http/guards/public-guards.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { dashboardMetrics, dashboardText } from "../../vitals/dashboard-metrics.ts";
import { synthesize } from "../synthesize.ts";

let text: string;
let metrics: readonly (readonly unknown[])[];
let logGroups: readonly string[];
beforeAll(() => {
  const { template } = synthesize();
  const [page, ...otherDashboards] = Object.values(template.findResources("AWS::CloudWatch::Dashboard"));
  if (otherDashboards.length > 0) throw new Error("There is more than one dashboard.");
  text = dashboardText(page?.Properties.DashboardBody);
  metrics = dashboardMetrics(page?.Properties.DashboardBody);
  logGroups = Object.keys(template.findResources("AWS::Logs::LogGroup")).filter((id) => id.startsWith("ApiRoutes"));
});

const drawn = (namespace: string, name: string) =>
  metrics.filter(([space, metric]) => space === namespace && metric === name);

test("the only dashboard has no more metrics than a free one may have, each once", () => {
  expect(metrics.length).toBeLessThanOrEqual(50);
  expect(new Set(metrics.map((metric) => JSON.stringify(metric))).size).toBe(metrics.length);
});

test("every service metric is on it, for this stage", () => {
  const serviceMetrics = metrics.filter(([namespace]) => namespace === "Assay");

  expect(serviceMetrics.map(([, name]) => String(name)).toSorted()).toEqual(Object.keys(publishedMetrics).toSorted());
  for (const metric of serviceMetrics) expect(metric.slice(2, 4)).toEqual(["Stage", "dev"]);
});

test("it shows calls, errors, median and slow latencies, ingest, lag and dead letters", () => {
  const statistics = drawn("AWS/ApiGateway", "Latency").map((metric) => metric.at(-1));
  const ingest = drawn("AWS/Lambda", "Invocations").map(([, , , name]) => String(name));

  expect(drawn("AWS/ApiGateway", "Count")).toHaveLength(1);
  expect(drawn("AWS/ApiGateway", "5XXError")).toHaveLength(1);
  expect(statistics).toEqual([expect.objectContaining({ stat: "p50" }), expect.objectContaining({ stat: "p95" })]);
  expect(ingest.map((name) => /ApiRoutes([A-Za-z]+)Function/u.exec(name)?.[1])).toEqual([
    "createTrace",
    "createTraces",
    "createSpans",
    "exportTraces",
  ]);
  expect(drawn("AWS/Lambda", "IteratorAge")).toHaveLength(4);
  expect(drawn("AWS/SQS", "ApproximateAgeOfOldestMessage")).toHaveLength(2);
  expect(
    drawn("AWS/SQS", "ApproximateNumberOfMessagesVisible").filter((metric) =>
      String(metric[3]).includes("DeadLetters"),
    ),
  ).toHaveLength(4);
  // The authorizer, the project maker, the sweeper, the repricer and the workers with batches.
  expect(drawn("AWS/Lambda", "Errors")).toHaveLength(11);
});

test("the table of routes queries every resource's log group", () => {
  expect(logGroups.length).toBeGreaterThan(5);
  for (const group of logGroups) expect(text).toContain(`SOURCE '{Ref:${group}}'`);
});

test("the table of routes parses route, status and duration from a request's log line", async () => {
  const pattern = /\/(.+)\//u.exec(routeQuery[0] ?? "")?.[1] ?? "";
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: unknown) => void printed.push(String(line)));
  const handler = endpoint(getHealth, openGuard(1_000), async () => ({
    status: "healthy" as const,
    version: "1",
    commit: "unknown",
    environment: "dev",
    timestamp: "2026-11-22T09:00:00Z",
  }));
  const requestContext = { requestId: "r", path: "/dev/health", domainName: "example.com" };
  try {
    await handler({ headers: {}, requestContext } as unknown as APIGatewayProxyEvent, {} as Context);
  } finally {
    log.mockRestore();
  }

  // Lambda writes its own fields before the service's.
  expect(new RegExp(pattern, "u").exec(`2026-11-22T09:00:00.000Z\tid\tINFO\t${printed[0]}`)?.groups).toEqual({
    route: "getHealth",
    class: "2",
    ms: expect.stringMatching(/^\d+$/u),
  });
});
