import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { listenOnLoopback, type Endpoint } from "../../../infra/local/host/loopback-server.ts";
import { signatureOf } from "../../../infra/local/iam/access-key.ts";
import { fullScope } from "../../../lib/domain/access/key-scope.ts";
import { refusalOf } from "../../../lib/http/refusal-of.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { firstUses, projectMaker } from "../../../lib/wiring/first-use.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
let lambda: Endpoint;
let organizationId: string;
/** Replies of Lambda in order; after the last one Lambda calls the function. */
let answers: readonly (readonly [status: number, headers: Readonly<Record<string, string>>])[] = [];
let invocations: { readonly path: string; readonly signed: ReturnType<typeof signatureOf> }[] = [];

beforeAll(async () => {
  database = await startDatabase();
  const make = projectMaker(accessStore(database, 2));
  const answer = async (
    request: IncomingMessage,
  ): Promise<readonly [number, Readonly<Record<string, string>>, string]> => {
    invocations.push({ path: request.url ?? "", signed: signatureOf(request.headers.authorization) });
    const [failure, ...laterFailures] = answers;
    answers = laterFailures;
    if (failure !== undefined) return [...failure, '{"errorMessage":"secret"}'];
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
  [answers, invocations] = [[], []];
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

const keyPrincipal = () => ({ kind: "key", keyId: randomUUID(), organizationId, scope: fullScope, maker }) as const;

test("the first use of a project name creates the project by a signed call of the function", async () => {
  const project = await firstUses()(keyPrincipal(), "checkout");

  expect(project).toEqual(await accessStore(database, 2).findOrCreateProject(organizationId, "checkout"));
  expect(invocations).toEqual([
    { path: "/2015-03-31/functions/maker/invocations", signed: { caller: "caller", service: "lambda" } },
  ]);
});

test("twenty concurrent first uses of a name create one project", async () => {
  const make = firstUses();

  const projects = await Promise.all(Array.from({ length: 20 }, () => make(keyPrincipal(), "one")));

  expect(new Set(projects.map(({ id }) => id)).size).toBe(1);
});

test("a refusal of the function is passed on with its detail", async () => {
  const make = firstUses();
  await make(keyPrincipal(), "first");
  await make(keyPrincipal(), "second");

  await expect(make(keyPrincipal(), "third")).rejects.toMatchObject({
    reason: { kind: "forbidden", detail: "The organization has reached its limit of 2 projects." },
  });
  await expect(make({ ...keyPrincipal(), organizationId: randomUUID() }, "first")).rejects.toMatchObject({
    reason: { kind: "unauthenticated" },
  });
});

test("a call that Lambda throttles is retried once, and is an outage if it is throttled again", async () => {
  answers = [[429, {}]];
  const project = await firstUses()(keyPrincipal(), "busy");
  answers = [
    [429, {}],
    [503, {}],
  ];
  const failure = await firstUses()(keyPrincipal(), "busier").catch((error: unknown) => error);

  expect(project.name).toBe("busy");
  expect(refusalOf(failure, () => 0)?.reason.kind).toBe("unavailable");
  expect(invocations).toHaveLength(4);
});

test("a function that fails or may not be called is an internal error and is not called again", async () => {
  answers = [
    [200, { "X-Amz-Function-Error": "Unhandled" }],
    [403, {}],
  ];
  const failures = [
    await firstUses()(keyPrincipal(), "failed").catch((error: unknown) => error),
    await firstUses()(keyPrincipal(), "denied").catch((error: unknown) => error),
  ];

  expect(failures.map((failure) => [failure instanceof Error, refusalOf(failure, () => 0)])).toEqual([
    [true, null],
    [true, null],
  ]);
  expect(JSON.stringify(failures.map(String))).not.toContain("secret");
  expect(invocations).toHaveLength(2);
});
