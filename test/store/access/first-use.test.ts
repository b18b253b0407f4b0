import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { listenOnLoopback, type Endpoint } from "../../../infra/local/host/loopback-server.ts";
import { signatureOf } from "../../../infra/local/iam/access-key.ts";
import { unscoped } from "../../../lib/domain/access/key-scope.ts";
import { refusalOf } from "../../../lib/http/refusal-of.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { firstUses, projectMaker } from "../../../lib/wiring/first-use.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
let lambda: Endpoint;
let organizationId: string;
/** How Lambda answers, one after the other; then it calls the function. */
let answers: readonly (readonly [status: number, headers: Readonly<Record<string, string>>])[] = [];
let asked: { readonly path: string; readonly signed: ReturnType<typeof signatureOf> }[] = [];

beforeAll(async () => {
  database = await startDatabase();
  const make = projectMaker(accessStore(database, 2));
  const answer = async (
    request: IncomingMessage,
  ): Promise<readonly [number, Readonly<Record<string, string>>, string]> => {
    asked.push({ path: request.url ?? "", signed: signatureOf(request.headers.authorization) });
    const [given, ...others] = answers;
    answers = others;
    if (given !== undefined) return [...given, '{"errorMessage":"secret"}'];
    return [200, {}, JSON.stringify(await make(await json(request)))];
  };
  lambda = await listenOnLoopback(
    createServer((request, response) => {
      const reply = async (): Promise<void> => {
        const [status, headers, body] = await answer(request);
        response.writeHead(status, headers);
        response.end(body);
      };
      void reply();
    }),
  );
});
afterAll(async () => {
  await lambda.close();
  await database.close();
});
beforeEach(async () => {
  [answers, asked] = [[], []];
  organizationId = await accessStore(database, 2).createOrganization("Acme");
  vi.stubEnv("PROJECT_MAKER", "maker");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", lambda.url);
  vi.stubEnv("AWS_ACCESS_KEY_ID", Buffer.from("caller").toString("hex"));
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const maker = randomUUID();

const key = () => ({ kind: "key", keyId: randomUUID(), organizationId, scope: unscoped, maker }) as const;

test("a name that is used first is made by the function, which is asked by name and by a signed call", async () => {
  const made = await firstUses()(key(), "checkout");

  expect(made).toEqual(await accessStore(database, 2).projectNamed(organizationId, "checkout"));
  expect(asked).toEqual([
    { path: "/2015-03-31/functions/maker/invocations", signed: { caller: "caller", service: "lambda" } },
  ]);
});

test("twenty first uses at a time make one project", async () => {
  const make = firstUses();

  const made = await Promise.all(Array.from({ length: 20 }, () => make(key(), "one")));

  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
});

test("what the function refuses is refused in its words", async () => {
  const make = firstUses();
  await make(key(), "first");
  await make(key(), "second");

  await expect(make(key(), "third")).rejects.toMatchObject({
    reason: { kind: "forbidden", detail: "The organization has its 2 projects." },
  });
  await expect(make({ ...key(), organizationId: randomUUID() }, "first")).rejects.toMatchObject({
    reason: { kind: "unauthenticated" },
  });
});

test("a call for which Lambda has no room is made again, and is an outage when there is none again", async () => {
  answers = [[429, {}]];
  const made = await firstUses()(key(), "busy");
  answers = [
    [429, {}],
    [503, {}],
  ];
  const failure = await firstUses()(key(), "busier").catch((error: unknown) => error);

  expect(made.name).toBe("busy");
  expect(refusalOf(failure, () => 0)?.reason.kind).toBe("unavailable");
  expect(asked).toHaveLength(4);
});

test("a function that failed, or may not be called, is a fault of ours, and is not called again", async () => {
  answers = [
    [200, { "X-Amz-Function-Error": "Unhandled" }],
    [403, {}],
  ];
  const failures = [
    await firstUses()(key(), "failed").catch((error: unknown) => error),
    await firstUses()(key(), "denied").catch((error: unknown) => error),
  ];

  expect(failures.map((failure) => [failure instanceof Error, refusalOf(failure, () => 0)])).toEqual([
    [true, null],
    [true, null],
  ]);
  expect(JSON.stringify(failures.map(String))).not.toContain("secret");
  expect(asked).toHaveLength(2);
});
