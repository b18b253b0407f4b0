import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { repository } from "../../../infra/local/repository.ts";
import { allQuestions } from "../../../infra/verify/all-questions.ts";
import { bearerToken } from "../../../infra/verify/questions/bearer-token.ts";
import { defaultJudge } from "../../../infra/verify/questions/default-judge.ts";
import { lateSpan } from "../../../infra/verify/questions/late-span.ts";
import { listDeletions } from "../../../lib/contract/access/deletions.ts";
import { listProjects } from "../../../lib/contract/access/projects.ts";
import { listMonitors } from "../../../lib/contract/monitors/monitors.ts";
import { listTraceRuns } from "../../../lib/contract/runs/trace-runs.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { erasing } from "../../../lib/deletion/erase-deleted.ts";
import { storageScanning } from "../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import { hashApiKey } from "../../../lib/domain/access/identity.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { type Change, startBreakingProxy } from "../../support/service/breaking-proxy.ts";
import { clientWith } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { databaseOf } from "../../support/service/service-database.ts";
import { type RunningService, startService } from "../../support/service/service.ts";
import { asked, only } from "./asked.ts";
import { breakages } from "./breakages.ts";

let service: RunningService;
/** How far the Scheduler's clock is ahead. */
let ahead = 0;

beforeAll(async () => {
  service = await startService({ warmFunctions: 100, schedulerClock: () => Date.now() + ahead });
});
afterAll(() => service.close());

/** A deployment of which something is changed. */
const changed = async (change: Change, begin?: () => Promise<void>): Promise<string> => {
  const { url, close } = await startBreakingProxy(service.baseUrl, change, begin);
  onTestFinished(close);
  return url;
};

const owner = () => clientWith(service, { Authorization: `Bearer ${service.tenant.bearerToken}` });
const organization = () => ({ org_id: service.stack.credentials.organizationId });

/** What a project holds, as its key sees it. */
const contents = async (projectName: string) => {
  const client = clientWith(service, { "X-API-Key": service.tenant.apiKey, "X-Project-Name": projectName });
  const lists = [
    await client.answer(listTraces),
    await client.answer(listTraceRuns),
    await client.answer(listMonitors),
  ];
  return lists.map(({ items }) => items.length);
};

const projectIn = (lines: readonly string[]): string => /verify-[0-9a-f]{8}/u.exec(lines.join("\n"))?.[0] ?? "";

const minute = 60_000;

/**
 * Does what the sweeper does for a deleted project, 16 minutes later each time, until nothing of it is left.
 *
 * @returns what still names it, but the receipt and the audit of its deletion.
 */
const swept = async (project: string): Promise<readonly string[]> => {
  const database = databaseOf(service);
  const left = async () => (await itemsNaming(database, [project])).filter(({ table }) => table !== "access");
  for (let look = 0; look < 8 && (await left()).length > 0; look += 1) {
    const now = () => Date.now() + look * (proofMilliseconds + 1000);
    await storageScanning(database, now)(60_000);
    await erasing(database, { remove: async () => undefined }, now)(60_000);
  }
  return (await left()).map(({ text: item }) => item);
};

/** Makes the tenant's gateway key old enough to be used, once it is made. */
const ageGatewayKey = async (): Promise<void> => {
  const database = databaseOf(service);
  const id = (await apiKeyStore(database).find(hashApiKey(service.tenant.apiKey)))?.id;
  const aging = new UpdateCommand({
    TableName: database.table("access"),
    Key: { pk: `client#key#${id}`, sk: "gateway-key" },
    UpdateExpression: "SET created_at = :before",
    ConditionExpression: "attribute_exists(created_at)",
    ExpressionAttributeValues: { ":before": instantAt(Date.now() - 2 * minute) },
  });
  await eventually(() => database.client.send(aging).catch(() => undefined));
};

/**
 * A deployment where what takes minutes comes at once: the Scheduler's clock goes on by a minute when a monitor is made and
 * when it is paused, and the authorizer's memory of keys ends with its sandboxes when a key is revoked, while no other
 * request is under way.
 */
const hurried = async (): Promise<string> => {
  let [underWay, open] = [0, Promise.resolve()];
  const forgetKeys = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    open = promise;
    await eventually(() => (underWay === 1 ? true : undefined));
    expect(service.stack.functions.kill("Authorizer")).toBeGreaterThan(0);
    resolve();
  };
  const begin = async (): Promise<void> => {
    await open;
    underWay += 1;
  };
  const change: Change = async ({ method, path }, reply) => {
    if (method === "POST" && /\/monitors$|\/pause$/u.test(path)) ahead += minute;
    if (method === "DELETE" && path.includes("/api-keys/")) await forgetKeys();
    underWay -= 1;
    return reply;
  };
  return changed(change, begin);
};

test("a deployment on which everything holds is told so, and nothing of the project is left", async () => {
  await ageGatewayKey();
  const outcome = await asked(await hurried(), service.tenant, {
    plan: allQuestions,
    withToken: true,
    patience: { quiet: 2_500, newKey: 2_000 },
  });
  const name = projectIn(outcome.told);
  const { items } = await owner().page(listProjects, { params: organization() });
  const receipts = (await owner().answer(listDeletions, { params: organization() })).items;
  const id = receipts.find((receipt) => receipt.name === name)?.id ?? "";

  expect(outcome.findings.filter(({ verdict }) => verdict === "does not hold")).toEqual([]);
  expect(outcome.findings.filter(({ verdict }) => verdict !== "holds").map(({ seen }) => seen)).toEqual([
    "the address is not https",
  ]);
  expect([outcome.status, outcome.ended]).toEqual([0, null]);
  expect(items.map((project) => project.name)).not.toContain(name);
  expect(await swept(id)).toEqual([]);
});

test("without a token the project is emptied and named", async () => {
  const outcome = await asked(service.baseUrl, service.tenant, { plan: only(defaultJudge, bearerToken) });
  const name = projectIn(outcome.told);

  expect(outcome.findings.map(({ verdict, seen }) => `${verdict}: ${seen}`).slice(2)).toEqual([
    "could not be asked: no --token was given",
    "holds: 3 traces, 1 run, 0 monitors, and nothing is left",
    `could not be asked: no --token was given: the project ${name} stays, empty`,
  ]);
  expect(outcome.status).toBe(0);
  expect(await contents(name)).toEqual([0, 0, 0]);
});

test("a token of somebody else leaves the project, and says so", async () => {
  const tenant = { ...service.tenant, bearerToken: service.stranger.bearerToken };
  const { findings, status } = await asked(service.baseUrl, tenant, { plan: only(bearerToken), withToken: true });

  expect(findings.at(-1)?.seen).toMatch(/^the token's user is not in the key's organization: the project verify-/u);
  expect(status).toBe(0);
});

test("a key that is refused ends it at once, and a silent deployment in time", async () => {
  const tenant = { ...service.tenant, apiKey: `sk_as_${"0".repeat(64)}` };
  const silent = await changed(() => new Promise(() => undefined));

  const refused = await asked(service.baseUrl, tenant, { plan: allQuestions });
  const unheard = await asked(silent, service.tenant, { plan: allQuestions, patience: { request: 200 } });

  expect(refused.findings.map(({ seen }) => seen)).toEqual([
    expect.stringMatching(
      /^GET \/evaluations\/trace-metrics answered 401 \{"detail":"Invalid or revoked API key.",.*\} in place of 200$/u,
    ),
  ]);
  expect(unheard.findings.map(({ seen }) => seen)).toEqual([
    "GET /evaluations/trace-metrics: there was no whole reply within 0.2 s",
  ]);
  expect([refused.status, unheard.status]).toEqual([1, 1]);
});

test("when time is up the rest is not asked, and what was stored is deleted", async () => {
  const slow = await changed(async ({ path }, reply) => {
    if (path.endsWith("/spans")) await new Promise((resolve) => void setTimeout(resolve, 600));
    return reply;
  });

  const plan = { lanes: [[lateSpan, defaultJudge]], last: [] };
  const outcome = await asked(slow, service.tenant, { plan, patience: { total: 500 } });

  expect(outcome.findings.map(({ verdict, seen }) => `${verdict}: ${seen}`).slice(1, 4)).toEqual([
    "could not be asked: out of time",
    "could not be asked: out of time",
    expect.stringMatching(/^holds: \d traces?, 0 runs, 0 monitors, and nothing is left$/u),
  ]);
  expect(await contents(projectIn(outcome.told))).toEqual([0, 0, 0]);
  expect([outcome.status, outcome.ended]).toEqual([1, "out of time"]);
});

describe("the command", () => {
  const start = (...flags: readonly string[]) => {
    const child = spawn(process.execPath, ["infra/verify/run.ts", ...flags], { cwd: repository });
    return { child, said: Promise.all([text(child.stdout), text(child.stderr)]) };
  };

  test("cleans up after Ctrl-C, and prints no secret", async () => {
    const { apiKey, bearerToken: token } = service.tenant;
    const { child, said } = start("--url", `${service.baseUrl}/`, "--key", apiKey);
    let before = "";
    child.stderr.on("data", (chunk: Buffer) => (before += chunk.toString()));
    await eventually(() => (before.includes("A run with the default judge") ? true : undefined));

    child.kill("SIGINT");
    const [status] = (await once(child, "exit")) as [number];
    const [printed, progress] = await said;

    expect(status).toBe(130);
    expect(printed).toContain("Ended before everything was asked: interrupted.");
    expect(printed).toMatch(/[1-9]\d* traces, \d+ runs?, \d monitors?, and/u);
    expect(await contents(projectIn([progress]))).toEqual([0, 0, 0]);
    for (const secret of [apiKey, token]) expect(printed + progress).not.toContain(secret);
  });

  test.each([
    ["no flags", [], /^npm run -s verify -- --url/u],
    ["a flag it does not know", ["--nonsense"], /Unknown option '--nonsense'/u],
    ["no address", ["--url", "prod", "--key", "k"], /"prod" is no address/u],
    ["an address in the clear", ["--url", "http://example.com", "--key", "k"], /the key would travel in the clear/u],
    ["a query", ["--url", "https://example.com/?a", "--key", "k"], /The address ends with the stage/u],
  ])("refuses %s", async (_, flags, words) => {
    const { child, said } = start(...flags);
    const [status] = (await once(child, "exit")) as [number];

    expect((await said).join("")).toMatch(words);
    expect(status).toBe(1);
  });
});

describe("a deployment with", () => {
  test.each(breakages)(
    "$broken is found out",
    async ({ question, last, said, change, patience, withToken = false }) => {
      const plan = last === undefined ? only(question) : only(question, last);
      const how = { plan, withToken, ...(patience === undefined ? {} : { patience }) };
      const outcome = await asked(await changed(change()), service.tenant, how);
      const found = outcome.findings.filter(({ verdict }) => verdict === "does not hold");

      expect(found).toMatchObject([{ title: (last ?? question).title, seen: expect.stringMatching(said) as string }]);
      expect(outcome.status).toBe(1);
    },
  );
});
