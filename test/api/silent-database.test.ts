import { afterAll, beforeAll, expect, test } from "vitest";
import { errorPlace } from "../../lib/contract/error-place.ts";
import type { Route } from "../../lib/contract/route.ts";
import { createTrace, getTrace } from "../../lib/contract/traces/traces.ts";
import { authorizerBounds, longestCall, usualBounds } from "../../lib/aws/call-bounds.ts";
import { hushedEngine } from "../support/database/hushed-engine.ts";
import { bearerClient, type Client, newProject, pathOf } from "../support/service/client.ts";
import { type RunningService, startService } from "../support/service/service.ts";

const database = hushedEngine();
let service: RunningService;
beforeAll(async () => {
  service = await startService({ engine: database });
});
afterAll(async () => {
  database.speak();
  await service.close();
});

const body = { name: "x", started_at: "2026-10-01T00:00:00Z" };

/** What a machine may be late that does other things, too. */
const lateness = 8_000;

/** Asks like a client of the service, but takes a 503, too. @returns what was answered, and after how many milliseconds. */
const asked = async (route: Route, { headers }: Client, body?: object) => {
  const begun = performance.now();
  const reply = await fetch(service.baseUrl + pathOf(route), {
    method: route.method,
    headers: { ...(headers as Record<string, string>), "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const answer = { status: reply.status, retryAfter: reply.headers.get("retry-after"), body: await reply.json() };
  const requestId = reply.headers.get("x-request-id");
  return { answer, requestId, milliseconds: performance.now() - begun };
};

test("a database that says nothing is answered 503 in time to whoever asks, and is used again once it speaks", async () => {
  const warm = newProject(service);
  const user = bearerClient(service, service.tenant.projectId);
  // Nobody has used its key yet: the authorizer has to ask.
  const stranger = newProject(service, service.stranger);
  await warm.answer(createTrace, { body });
  const before = await asked(getTrace, user);
  database.hush();

  const during = await Promise.all([
    asked(getTrace, user),
    asked(createTrace, warm, body),
    asked(createTrace, stranger, body),
  ]);

  database.speak();
  expect(before.answer.status).toBe(404);
  for (const { answer, requestId, milliseconds } of during) {
    expect(answer).toEqual({
      status: 503,
      retryAfter: "1",
      body: {
        detail: "The service is busy. Try again in a moment.",
        code: "unavailable",
        request_id: requestId,
        documentation_url: `${service.baseUrl}${errorPlace("unavailable")}`,
      },
    });
    // Not before the attempts were made.
    expect(milliseconds).toBeGreaterThan(authorizerBounds.attempts * authorizerBounds.reply - 100);
    // The authorizer looks for a caller's usage key for a second at most.
    expect(milliseconds).toBeLessThan(1_000 + longestCall(usualBounds) + lateness);
  }
  expect((await asked(createTrace, warm, body)).answer.status).toBe(202);
});
