import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createClient, type ClientOptions } from "../../../lib/client/client.ts";
import {
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
} from "../../../lib/client/errors.ts";
import { retryDelay } from "../../../lib/client/retries.ts";

interface RecordedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Handler of one scripted reply of the service. */
type Answer = (reply: ServerResponse, request: IncomingMessage) => void;

let script: Answer[] = [];
let requests: RecordedRequest[] = [];
let baseUrl = "";

const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
  const body = await text(request);
  requests.push({ method: request.method, url: request.url, headers: request.headers, body });
  (script.shift() ?? says(200, {}))(reply, request);
};

const server = createServer((request, reply) => void answer(request, reply));

const says =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (reply) =>
    void reply.writeHead(status, { "X-Request-ID": "r1", ...headers }).end(JSON.stringify(body));
const hangsUp: Answer = (_, request) => void request.socket.destroy();
const isSilent: Answer = () => undefined;

beforeAll(async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (typeof address === "object") baseUrl = `http://127.0.0.1:${address?.port}/dev/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [script, requests] = [[], []];
});

const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl, credentials: { apiKey: "k", projectName: "p" }, ...options });

const run = { metrics: ["task_completion"] };

test("a call names its operation, fills its path and repeats a parameter for each value", async () => {
  script = [says(200, { trace_id: "t" }), says(200, { items: [] })];
  const client = clientOf();

  expect(await client.getTrace({ path: { trace_id: "a/b" } })).toEqual({ trace_id: "t" });
  await client.listTraces({ query: { tags: ["x y", "z"], limit: 5, name: undefined, metadata: { tier: "a b" } } });

  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET /dev/traces/a%2Fb",
    "GET /dev/traces?tags=x+y&tags=z&limit=5&metadata.tier=a+b",
  ]);
  expect(requests[0]?.headers).toMatchObject({ "x-api-key": "k", "x-project-name": "p" });
});

test("a token is requested before each call, and the headers fit the scope of the operation", async () => {
  let tokens = 0;
  const token = async () => {
    tokens += 1;
    return `t${tokens}`;
  };
  const client = clientOf({ credentials: { token, projectId: "p1", organizationId: "o1" } });

  await client.listTraces();
  await client.listOrganizations();
  await client.getHealth();

  expect(
    requests.map(({ headers }) => [headers.authorization, headers["x-project-id"], headers["x-organization-id"]]),
  ).toEqual([
    ["Bearer t1", "p1", undefined],
    ["Bearer t2", undefined, "o1"],
    [undefined, undefined, undefined],
  ]);
});

test("a call that is refused as busy, or gets no answer, is retried with the same Idempotency-Key", async () => {
  script = [says(503, { detail: "busy" }), hangsUp, says(202, { id: "r" })];

  expect(await clientOf().createTraceRun({ body: run })).toEqual({ id: "r" });

  const keys = requests.map(({ headers }) => headers["idempotency-key"]);
  expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  expect(new Set(requests.map(({ body }) => body))).toEqual(new Set([JSON.stringify(run)]));
});

test.each([
  [400, InvalidRequestError],
  [401, UnauthorizedError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [409, ConflictError],
  [413, InvalidRequestError],
  [422, InvalidRequestError],
  [500, ServerError],
])("%i is not retried, and the error has the service's message", async (status, Class) => {
  const errors = [{ field: "body.metrics", message: "Too short" }];
  script = [says(status, { detail: status === 422 ? [] : "No.", code: "why", errors })];

  const error = await clientOf()
    .createTraceRun({ body: run })
    .catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(Class);
  expect(error).toMatchObject({
    status,
    code: "why",
    requestId: "r1",
    problems: errors,
    message: status === 422 ? "body.metrics: Too short" : "No.",
  });
  expect(requests.length).toBe(1);
});

test("the pause before a retry grows, is drawn at random, and is never shorter than the service demands", () => {
  const refusal = { status: 429, code: null, requestId: null, problems: [] };
  const asks = (retryAfter: number | null) => new RateLimitedError("slow down", { ...refusal, retryAfter });

  expect([1, 2, 3, 9].map((attempt) => retryDelay(asks(null), attempt, 9, 0))).toEqual([250, 500, 1_000, 4_000]);
  expect(retryDelay(asks(null), 1, 9, 0.999)).toBeCloseTo(500, 0);
  expect(retryDelay(asks(7_000), 1, 9, 0)).toBe(7_000);
  expect([retryDelay(asks(61_000), 1, 9, 0), retryDelay(asks(null), 4, 3, 0)]).toEqual([null, null]);
});

test("a wait longer than a minute, or one retry more than allowed, is left to the caller", async () => {
  script = [says(429, { detail: "Tomorrow." }, { "Retry-After": "3600" }), says(503, { detail: "busy" })];

  await expect(clientOf().listTraces()).rejects.toThrow(RateLimitedError);
  await expect(clientOf({ retries: 0 }).listTraces()).rejects.toThrow(ServerError);

  expect(requests.length).toBe(2);
});

test("a silent service and an unreachable one are distinguished", async () => {
  script = [isSilent];

  await expect(clientOf({ timeout: 50, retries: 0 }).listTraces()).rejects.toThrow(TimeoutError);
  await expect(clientOf({ baseUrl: "http://127.0.0.1:1", retries: 0 }).listTraces()).rejects.toThrow(ConnectionError);
});

test("a call ends at once when it is aborted, during the answer and between two attempts", async () => {
  script = [isSilent, says(503, { detail: "busy" }, { "Retry-After": "59" })];
  const [first, second] = [new AbortController(), new AbortController()];

  const calls = [clientOf().listTraces({}, { signal: first.signal })];
  await vi.waitFor(() => expect(requests.length).toBe(1), { timeout: 30_000 });
  calls.push(clientOf().listTraces({}, { signal: second.signal }));
  await vi.waitFor(() => expect(requests.length).toBe(2), { timeout: 30_000 });
  const reasons = [new Error("first"), new Error("second")];
  const ends = Promise.allSettled(calls);
  first.abort(reasons[0]);
  second.abort(reasons[1]);

  expect((await ends).map((end) => end.status === "rejected" && end.reason)).toEqual(reasons);
  expect(requests.length).toBe(2);
});

test("all items of a list are read page by page, by cursor where there is one", async () => {
  script = [
    says(200, { items: [1, 2], next_cursor: "c" }),
    says(200, { items: [3], next_cursor: null }),
    says(200, { items: [1, 2] }),
    says(200, { items: [3] }),
  ];
  const client = clientOf();

  for (const expected of [
    [1, 2, 3],
    [1, 2, 3],
  ]) {
    const items: unknown[] = [];
    for await (const item of client.each.listTraces({ query: { limit: 2, name: "n" } })) items.push(item);
    expect(items).toEqual(expected);
  }

  expect(requests.map(({ url }) => url?.split("?")[1])).toEqual([
    "limit=2&name=n&offset=0",
    "limit=2&name=n&cursor=c",
    "limit=2&name=n&offset=0",
    "limit=2&name=n&offset=2",
  ]);
});

test("a list continues where the caller says, by cursor or by offset and never by both", async () => {
  script = [
    says(200, { items: [1], next_cursor: "d" }),
    says(200, { items: [2], next_cursor: null }),
    says(200, { items: [1], next_cursor: "d" }),
    says(200, { items: [2], next_cursor: null }),
  ];
  const client = clientOf();

  for (const query of [
    { limit: 1, cursor: "c" },
    { limit: 1, offset: 7 },
  ]) {
    const items: unknown[] = [];
    for await (const item of client.each.listTraces({ query })) items.push(item);
    expect(items).toEqual([1, 2]);
  }

  expect(requests.map(({ url }) => url?.split("?")[1])).toEqual([
    "limit=1&cursor=c",
    "limit=1&cursor=d",
    "limit=1&offset=7",
    "limit=1&cursor=d",
  ]);
});

test("a request id is read from the body where its header is not exposed", async () => {
  script = [
    (reply) => void reply.writeHead(404).end(JSON.stringify({ detail: "No.", code: "not_found", request_id: "r2" })),
  ];

  await expect(clientOf().getTrace({ path: { trace_id: "t" } })).rejects.toMatchObject({
    code: "not_found",
    requestId: "r2",
  });
});

test("a missing or empty path parameter sends no request", async () => {
  await expect(clientOf().getTrace({ path: { trace_id: "" } })).rejects.toThrow(TypeError);

  expect(requests).toEqual([]);
});

test.each(["sk_as_one\nsk_as_two", "sk_as_\u0416"])(
  "a key that no header can carry is named and not shown, and nothing is sent",
  async (apiKey) => {
    const error = await clientOf({ credentials: { apiKey } })
      .listTraces()
      .catch((thrown: unknown) => thrown);

    expect(error).toEqual(new TypeError("The value of the header X-API-Key has a character that no header may have."));
    expect(requests).toEqual([]);
  },
);

test("a violation of the whole body names the body", async () => {
  script = [says(422, { detail: [], errors: [{ field: "", message: "Field required" }] })];

  await expect(clientOf().createTraceRun({ body: run })).rejects.toThrow("body: Field required");
});

test("calls that the interface does not have do not compile", () => {
  const client = clientOf();
  const wrong = [
    // @ts-expect-error -- a name of a path parameter
    () => client.getTrace({}),
    // @ts-expect-error -- a name of a query parameter
    () => client.listTraces({ query: { limits: 1 } }),
    // @ts-expect-error -- a name of a body field
    () => client.createTraceRun({ body: { metric: ["x"] } }),
    // @ts-expect-error -- a name of a reply field
    async () => (await client.getTrace({ path: { trace_id: "x" } })).traceId,
    // @ts-expect-error -- an operation that answers no list has no items
    () => client.each.getTrace,
    // @ts-expect-error -- a dry run creates no run
    async () => (await client.createTraceRun({ query: { dry_run: true }, body: run })).id,
  ];

  expect(wrong.length).toBe(6);
});
