import { offsetPage } from "../../../lib/domain/page.ts";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletionEraser } from "../../../lib/deletion/erase-deleted.ts";
import { storageScan } from "../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { invitationStore } from "../../../lib/store/access/invitations.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { Crash, faultyDatabase } from "../../support/faults/faults.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { runsAllCases, sample } from "../../support/sample.ts";
import { someScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const schedules = { remove: async (): Promise<void> => {} };

const addScoredTrace = async (project: string): Promise<void> => {
  const trace = someTrace();
  await traceStore(database, 0).save(project, trace);
  const incarnation = (await traceReader(database).get(project, trace.trace_id))?.row.incarnation ?? "";
  const score = someScore({ project_id: project, trace_id: trace.trace_id });
  const TransactItems = scoreItems(score, { incarnation, expiresAt: null }).map((Item) => ({
    Put: { TableName: "scores", Item },
  }));
  await database.client.send(new TransactWriteCommand({ TransactItems }));
};

/** An organization with an owner, a second member, a project with scored traces, an API key and an invitation. */
const setUp = async () => {
  const [owner, member, id] = [randomUUID(), randomUUID(), randomUUID()];
  const access = accessStore(database, 10);
  await userStore(database).signIn({ userId: owner, email: "o@example.com", displayName: null });
  const organization = await organizationStore(database).create(id, "Acme", owner, 5);
  const project = await access.findOrCreateProject(id, "one");
  await access.addMember(id, member, "MEMBER");
  await apiKeyStore(database).create(id, "k");
  await invitationStore(database).create({
    id: randomUUID(),
    organizationId: id,
    email: "x@example.com",
    role: "MEMBER",
    status: "PENDING",
    invitedBy: owner,
    createdAt: "2026-10-01T10:00:00+00:00",
    expiresAt: Date.now() + 1000,
  });
  for (let count = 0; count < 3; count += 1) await addScoredTrace(project.id);
  if (organization === null) throw new Error("The user owns too many organizations.");
  return { organization, owner, member, project };
};

const naming = async (ids: readonly string[]): Promise<readonly string[]> =>
  (await itemsNaming(database, ids)).map(({ text }) => text);

/** A worker's connection that dies at a call, counted from 1, and at every later call: batch and index calls are decided on twice. */
const dyingAt = (line: number, fault: "crash-before" | "crash-after") => {
  let call = 0;
  return faultyDatabase(database, () => {
    call += 1;
    return call >= line ? fault : null;
  });
};

/** Runs one sweep for deletions at an instant: the storage scan, then the eraser. */
const sweepAt = async (from: Database, now: () => number): Promise<void> => {
  await storageScan(from, now)(60_000);
  await deletionEraser(from, schedules, now)(60_000);
};

/** Rethrows any error of a worker but a simulated crash. */
const onlyCrashes = (error: unknown): void => {
  const failures: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  if (!failures.every((failure) => failure instanceof Crash)) throw error;
};

test.each(sample("deaths of workers", ["crash-before", "crash-after"] as const))(
  "an organization's deletion is proved although worker after worker dies, each one call later (%s)",
  async (fault) => {
    const { organization, owner, project } = await setUp();
    await deletionRequests(database).ofOrganization(organization, owner);
    let [at, deaths] = [Date.now(), 0];
    const isProved = async (): Promise<boolean> =>
      (await deletionStore(database, () => at).ofUser(owner, offsetPage(1, 0))).items[0]?.provedAt !== null;

    for (let line = 1; !(await isProved()); line += 1) {
      const mortal = dyingAt(line, fault);
      at += proofMilliseconds + 60_000;
      await sweepAt(mortal, () => at).catch(onlyCrashes);
      if (mortal.crashed) deaths += 1;
    }

    const remainingItems = await naming([organization.id, project.id]);
    // Later workers have less to do: more than ten workers die until one completes the sweep.
    expect(deaths).toBeGreaterThan(10);
    expect(remainingItems.map((each) => /"pk":"([a-z]+)#/.exec(each)?.[1]).toSorted()).toEqual(["deletion", "user"]);
  },
);

/** A project with a scored trace whose deletion has begun. */
const doomedProject = async (organizationId: string, owner: string): Promise<string> => {
  const project = await accessStore(database, 1000).findOrCreateProject(organizationId, randomUUID());
  await addScoredTrace(project.id);
  await deletionRequests(database).ofProject(project, owner);
  return project.id;
};

/** Distance of the calls at which a worker dies: from another first call in each run, as all calls would take 30 seconds. */
const step = runsAllCases ? 1 : 10;
const firstLine = 1 + (freshSeed() % step);

test(`a project's deletion is proved wherever its worker dies once (from call ${firstLine})`, async () => {
  const { organization, owner } = await setUp();
  let at = Date.now();
  const unfinished: number[] = [];
  const projects: string[] = [];
  const sweepOnce = async (from: Database): Promise<void> => {
    at += proofMilliseconds + 1;
    await sweepAt(from, () => at);
  };

  let deaths = 0;
  for (let line = firstLine, died = true; died; line += step) {
    const project = await doomedProject(organization.id, owner);
    // A death after a call leaves the same state as a death before the next call.
    const mortal = dyingAt(line, "crash-before");
    for (let turn = 0; turn < 3 && !mortal.crashed; turn += 1) await sweepOnce(mortal).catch(onlyCrashes);
    died = mortal.crashed;
    if (died) deaths += 1;
    for (let turn = 0; turn < 3; turn += 1) await sweepOnce(database);
    const { items } = await deletionStore(database, () => at).ofOrganization(organization.id, offsetPage(1000, 0));
    if (typeof items.find(({ id }) => id === project)?.provedAt !== "string") unfinished.push(line);
    projects.push(project);
  }

  const remainingItems = (await naming(projects)).filter((each) => !each.startsWith("access "));
  expect({ unfinished, remainingItems }).toEqual({ unfinished: [], remainingItems: [] });
  expect(deaths).toBeGreaterThan(12);
});

test("a worker whose time is over leaves the remaining work to the next one, and only one worker can claim a deletion", async () => {
  const { organization, owner, project } = await setUp();
  await deletionRequests(database).ofProject(project, owner);
  let at = Date.now();
  const erase = deletionEraser(database, schedules, () => (at += 1));
  const receipt = async () =>
    (await deletionStore(database).ofOrganization(organization.id, offsetPage(10, 0))).items.find(
      ({ id }) => id === project.id,
    );

  await erase(4);
  const early = await receipt();
  const [first, second] = await Promise.all([
    deletionStore(database).claim(project.id),
    deletionStore(database).claim(project.id),
  ]);

  expect(early).toMatchObject({ emptySince: null, provedAt: null });
  expect([first, second].filter((claimed) => claimed !== null)).toHaveLength(1);
  at += 300_000;
  for (let turn = 0; turn < 4; turn += 1) {
    await sweepAt(database, () => (at += 1));
    at += proofMilliseconds;
  }
  expect((await receipt())?.provedAt).not.toBeNull();
  expect((await naming([project.id])).every((each) => each.startsWith("access "))).toBe(true);
});

test("an organization can be deleted while the deletion of its project is in progress, and both are proved", async () => {
  const { organization, owner, project } = await setUp();
  let at = Date.now();
  const isProved = async (): Promise<boolean> =>
    typeof (await deletionStore(database, () => at).ofUser(owner, offsetPage(1, 0))).items[0]?.provedAt === "string";
  await deletionRequests(database).ofProject(project, owner);
  await sweepAt(database, () => at);

  const isStarted = await deletionRequests(database).ofOrganization(organization, owner);
  const isStartedAgain = await deletionRequests(database).ofOrganization(organization, owner);
  for (let sweep = 0; sweep < 20 && !(await isProved()); sweep += 1) {
    at += proofMilliseconds + 1;
    await sweepAt(database, () => at);
  }

  expect([isStarted, isStartedAgain, await isProved()]).toEqual([true, false, true]);
  const remainingItems = await naming([organization.id, project.id]);
  expect(remainingItems.map((each) => /"pk":"([a-z]+)#/.exec(each)?.[1]).toSorted()).toEqual(["deletion", "user"]);
});

test("an item that is written late is removed by the next sweep, and the proof waits for two more sweeps", async () => {
  const { organization, owner, project } = await setUp();
  await deletionRequests(database).ofProject(project, owner);
  let at = Date.now();
  const sweepAndCheckProof = async (): Promise<boolean> => {
    at += proofMilliseconds + 1;
    await sweepAt(database, () => at);
    const { items } = await deletionStore(database).ofOrganization(organization.id, offsetPage(10, 0));
    return items.find(({ id }) => id === project.id)?.provedAt !== null;
  };

  const before = [await sweepAndCheckProof(), await sweepAndCheckProof()];
  await traceStore(database, 0).save(project.id, someTrace());
  const after = [await sweepAndCheckProof(), await sweepAndCheckProof(), await sweepAndCheckProof()];

  expect(before).toEqual([false, false]);
  expect(after).toEqual([false, false, true]);
  expect((await naming([project.id])).every((each) => each.startsWith("access "))).toBe(true);
});
