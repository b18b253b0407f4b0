import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTraceRun, listTraceRuns } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { bearerClient, newProject } from "../../support/service/client.ts";
// oxlint-disable-next-line eslint/no-restricted-imports -- rates are limited in a service of its own alone
import { type RunningService, startService } from "../../support/service/service.ts";

describe("rate limits", () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService({ limitFactor: 1 });
  });

  afterAll(() => service.close());

  test("allow exactly 50 runs a minute, counted over all users of a key and all outcomes", async () => {
    const clients = Array.from({ length: 10 }, () => newProject(service));
    const bodies = [{ metrics: ["task_completion"] }, { metrics: [] }, { metrics: ["nonsense"] }, "no object"];
    const replies = await Promise.all(
      clients.flatMap((client, index) =>
        Array.from({ length: 6 }, (_, turn) =>
          client.call(createTraceRun, { body: bodies[(index + turn) % bodies.length] }),
        ),
      ),
    );

    const refusals = replies.filter(({ status }) => status === 429);
    expect(refusals).toHaveLength(10);
    for (const { headers, body } of refusals) {
      expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
      expect(headers["retry-after"]).toMatch(/^[1-9]\d?$/);
      expect(body).toEqual({ detail: "Rate limit exceeded: 50 per minute." });
    }
  });

  test("apply to the same key in any project, and before validation", async () => {
    const client = newProject(service);
    const replies = await Promise.all([
      client.call(createTraceRun, { body: { metrics: ["task_completion"] } }),
      client.call(createTraceRun, { bytes: "{" }),
      client.call(createTraceRun, { bytes: "x", headers: { "Content-Type": "text/plain" } }),
      client.call(createTraceRun, { bytes: "{}", headers: { "X-Project-Name": undefined } }),
      client.call(createTraceRun, { bytes: "{}", headers: { "X-Forwarded-For": "10.0.0.1", "User-Agent": "other" } }),
    ]);

    expect(replies.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
  });

  test("count each client and each route separately", async () => {
    const client = newProject(service);
    const body = { metrics: ["task_completion"] };
    const otherKey = await newProject(service, service.stranger).call(createTraceRun, { body });
    const user = await bearerClient(service, service.tenant.projectId).call(createTraceRun, { body });
    const otherRoute = await client.call(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
    const reads = await Promise.all([client.call(listTraceRuns), client.call(listTraces)]);

    expect([otherKey, user, otherRoute, ...reads].map(({ status }) => status)).toEqual([202, 202, 202, 200, 200]);
  });

  test("allow exactly 100 traces a minute", async () => {
    const client = newProject(service, service.stranger);
    const replies = await Promise.all(
      Array.from({ length: 105 }, () => client.call(createTrace, { body: { name: "x", started_at: "2026-10-01" } })),
    );

    expect(replies.filter(({ status }) => status === 202)).toHaveLength(100);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(5);
  });
});
