import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSpans } from "../../../lib/contract/traces/changes.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { newExchange, type ReplayOptions } from "../../../lib/http/exchange.ts";
import { idempotencyOf, requestLeaseMilliseconds } from "../../../lib/http/idempotency.ts";
import { idempotencyRecords } from "../../../lib/store/limits/idempotency-records.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

interface SentRequest {
  readonly trace?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly owner?: string;
}

/** A client whose requests have one idempotency key, and what its service has worked on. */
const client = ({ lease = requestLeaseMilliseconds, ...options }: Partial<ReplayOptions<string>> = {}) => {
  const clock = { at: Date.parse("2026-10-01T12:00:00Z") };
  const records = idempotencyRecords(database, () => clock.at);
  const key = { "Idempotency-Key": randomUUID() };
  const worked: string[] = [];
  /** @returns the answer, or the kind of the refusal. */
  const send = async (
    { trace = "one", body = "body", headers = key, owner = "project" }: SentRequest = {},
    failure?: unknown,
  ): Promise<string> => {
    const event = {
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      pathParameters: { trace_id: trace },
      body,
      requestContext: { requestId: randomUUID() },
    } as unknown as APIGatewayProxyEvent;
    const { runOnce } = idempotencyOf(newExchange(event, createSpans), owner, records, JSON.stringify);
    const work = async (): Promise<string> => {
      worked.push(trace);
      if (failure !== undefined) throw failure;
      return `answer ${worked.length}`;
    };
    return await runOnce({ lease, ...options }, work).then(
      (answer) => (typeof answer === "string" ? answer : `again ${answer.text}`),
      (error: unknown) => (error instanceof Refusal ? error.reason.kind : String(error)),
    );
  };
  return { clock, worked, send };
};

const refusals = {
  unavailable: new Refusal({ kind: "unavailable", detail: "The database is overloaded." }),
  limited: new Refusal({ kind: "rate-limited", detail: "Too many requests.", retryAfter: 1 }),
  conflict: new Refusal({ kind: "conflict", detail: "It exists." }),
};

test.each([
  ["a 503 may have had an effect", refusals.unavailable, "unavailable"],
  ["a 429 may have had an effect", refusals.limited, "unavailable"],
  ["an unknown error may have had an effect", new Error("Broken."), "unavailable"],
  ["a 409 had none", refusals.conflict, "answer 2"],
])("a request is repeated at its lease's end, or at once without an effect: %s", async (_name, failure, early) => {
  const { clock, worked, send } = client();

  await send({}, failure);
  clock.at += requestLeaseMilliseconds - 1;
  const repeated = await send();
  const worksOfLease = worked.length;
  clock.at += 1;

  expect(repeated).toBe(early);
  expect(worksOfLease).toBe(early === "unavailable" ? 1 : 2);
  expect([await send(), await send()]).toEqual(
    early === "unavailable" ? ["answer 2", 'again "answer 2"'] : ['again "answer 2"', 'again "answer 2"'],
  );
});

const requestId = { "X-Request-ID": "one" };

test.each<[name: string, first: SentRequest, second: SentRequest, answer: string]>([
  ["on another path of the route is another request", {}, { trace: "two" }, "answer 2"],
  ["of another owner is another request", {}, { owner: "another" }, "answer 2"],
  ["with the same path and body is the same request", {}, {}, 'again "answer 1"'],
  ["with another body is refused", {}, { body: "other" }, "invalid"],
  ["as an X-Request-ID alone does not identify a request", { headers: requestId }, { headers: requestId }, "answer 2"],
])("a key %s", async (_name, first, second, answer) => {
  const { send } = client();

  await send(first);

  expect(await send(second)).toBe(answer);
});

test.each([
  ["is not final runs again", { isFinal: () => false }, "answer 2"],
  ["is secret is told once", { secret: () => refusals.conflict }, "conflict"],
])("a request whose answer %s", async (_name, options, answer) => {
  const { send } = client({ lease: 0, ...options });

  await send();

  expect(await send()).toBe(answer);
});
