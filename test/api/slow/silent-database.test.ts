import { afterAll, beforeAll, expect, test } from "vitest";
import { errorDocsPath } from "../../../lib/domain/error-codes.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { authorizerBounds, maxCallMilliseconds, defaultBounds } from "../../../lib/aws/call-bounds.ts";
import { silenceableEngine } from "../../support/database/silenceable-engine.ts";
import { bearerClient, type Client, newProject, pathOf } from "../../support/service/client.ts";
import { type RunningService, startService } from "../../support/service/service.ts";

const database = silenceableEngine();
let service: RunningService;
beforeAll(async () => {
  service = await startService({ engine: database });
});
afterAll(async () => {
  database.speak();
  await service.close();
});

const body = { name: "x", started_at: "2026-10-01T00:00:00Z" };

/** Milliseconds of delay to tolerate on a busy machine. */
const lateness = 8_000;

/** Calls a route like a client of the service, but accepts a 503. @returns the reply and its duration in milliseconds. */
const timedCall = async (route: Route, { headers }: Client, body?: object) => {
  const startedAt = performance.now();
  const reply = await fetch(service.baseUrl + pathOf(route), {
    method: route.method,
    headers: { ...(headers as Record<string, string>), "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const answer = { status: reply.status, retryAfter: reply.headers.get("retry-after"), body: await reply.json() };
  const requestId = reply.headers.get("x-request-id");
  return { answer, requestId, milliseconds: performance.now() - startedAt };
};

test("requests are answered 503 in time while the database does not respond, and succeed once it does", async () => {
  const warm = newProject(service);
  const user = bearerClient(service, service.tenant.projectId);
  // A key without a cached identity: the authorizer has to read the database.
  const stranger = newProject(service, service.stranger);
  await warm.answer(createTrace, { body });
  const before = await timedCall(getTrace, user);
  database.hush();

  const during = await Promise.all([
    timedCall(getTrace, user),
    timedCall(createTrace, warm, body),
    timedCall(createTrace, stranger, body),
  ]);

  database.speak();
  expect(before.answer.status).toBe(404);
  for (const { answer, requestId, milliseconds } of during) {
    expect(answer).toEqual({
      status: 503,
      retryAfter: expect.stringMatching(/^(?:[1-9]|1[0-6])$/u),
      body: {
        detail: "The service is busy. Try again in a moment.",
        code: "unavailable",
        request_id: requestId,
        documentation_url: `${service.baseUrl}${errorDocsPath("unavailable")}`,
      },
    });
    // At least the time of all attempts.
    expect(milliseconds).toBeGreaterThan(authorizerBounds.attempts * authorizerBounds.reply - 100);
    // The authorizer waits for a caller's usage key for a second at most.
    expect(milliseconds).toBeLessThan(1_000 + maxCallMilliseconds(defaultBounds) + lateness);
  }
  expect((await timedCall(createTrace, warm, body)).answer.status).toBe(202);
});
