import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletionEraser } from "../../../../lib/deletion/erase-deleted.ts";
import { pseudonymOf } from "../../../../lib/domain/access/pseudonym.ts";
import { proofMilliseconds } from "../../../../lib/domain/access/deletion.ts";
import type { Principal } from "../../../../lib/domain/access/principal.ts";
import { instantAt } from "../../../../lib/domain/instant.ts";
import type { Database } from "../../../../lib/dynamo/database.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { accessStore } from "../../../../lib/store/access/project-lookup.ts";
import { datasetStore } from "../../../../lib/store/datasets/datasets.ts";
import { itemStore } from "../../../../lib/store/datasets/items.ts";
import { deletionStore } from "../../../../lib/store/deletion/deletions.ts";
import { userErasures } from "../../../../lib/store/deletion/user-erasures.ts";
import { heldWrites } from "../../../../lib/store/runs/held-judgements.ts";
import { runListPartition, runPartition } from "../../../../lib/store/runs/keys.ts";
import { labelSetStore } from "../../../../lib/store/labels/sets.ts";
import { scoreItems } from "../../../../lib/store/scores/codec.ts";
import { traceReader } from "../../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../../lib/store/traces/save.ts";
import { itemsOf } from "../../../../lib/dynamo/items.ts";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { itemsWithTexts } from "../../../support/database/stored-texts.ts";
import { Crash, faultyDatabase } from "../../../support/faults/faults.ts";
import { someScore } from "../../../support/scores.ts";
import { someTrace } from "../../../support/traces/traces.ts";
import { freshSeed } from "../../../support/vitest/fresh-seed.ts";
import { runsAllCases } from "../../../support/sample.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const schedules = { remove: async (): Promise<void> => {} };
const scale = {
  data_type: "BOOLEAN",
  min: null,
  max: null,
  threshold: null,
  levels: [],
  categories: [],
  passing: [],
} as const;
const createdAt = "2026-10-02T10:00:00+00:00";

/** A project whose member has asked for the erasure of a user, of whom it has traces and what can be made of them. */
const doomedUser = async (count: number) => {
  const [owner, userId, secret] = [randomUUID(), `Zoë/+%#\u0301 💥 ${randomUUID()}`, `secret ${randomUUID()}`];
  const access = accessStore(database, 10);
  const organizationId = await access.createOrganization("Acme");
  await access.addMember(organizationId, owner, "MEMBER");
  const project = await access.findOrCreateProject(organizationId, "shop");
  const traces = Array.from({ length: count }, () =>
    someTrace({ user_id: userId, session_id: "shared", input: secret }),
  );
  const other = someTrace({ user_id: "Ben", session_id: "shared" });
  const saved = traceStore(database, 0);
  for (let start = 0; start < count; start += 50)
    await Promise.all(traces.slice(start, start + 50).map((trace) => saved.save(project.id, trace)));
  await saved.save(project.id, other);
  const [trace_id = ""] = traces.map((trace) => trace.trace_id);
  const { incarnation, contentVersion: version } = (await traceReader(database).locate(project.id, trace_id))?.row ?? {
    incarnation: "",
    contentVersion: 0,
  };
  const scores = itemsOf(database, "scores");
  const score = someScore({ project_id: project.id, trace_id, reason: secret });
  for (const item of scoreItems(score, { incarnation, expiresAt: null })) await scores.put(item);
  const labels = [trace_id, other.trace_id].map((traceId) => ({ traceId, incarnation, version }));
  const settings = { name: "set", draw: "random", isRandom: true, size: 2, labelsPerItem: 1, isBlind: true } as const;
  const metrics = [{ name: "helpful", version: null, scale, description: null, textHash: null }];
  const sets = labelSetStore(database);
  const { id: set } = await sets.create(
    { ...settings, metrics, id: randomUUID(), projectId: project.id, createdAt },
    labels,
  );
  const label = {
    labeller: { type: "UPLOAD", id: "Ada" },
    values: { helpful: "true" },
    cannotTell: [],
    note: secret,
    createdAt,
  } as const;
  await sets.change(project.id, set, ({ state }) => {
    const queue = { ...state.queue, people: ["Ada"], slots: Uint8Array.of(1, 0) };
    return { result: true, state: { ...state, queue }, labels: [[0, 0, label]] };
  });
  const dataset = randomUUID();
  const fields = { itemCount: 0, approvedExperiment: null, createdAt, updatedAt: createdAt };
  await datasetStore(database).create({
    id: dataset,
    projectId: project.id,
    settings: { name: "d", description: null, metadata: {} },
    ...fields,
  });
  const itemOf = (input: string, source: string, sourceUser?: string) => ({
    id: randomUUID(),
    externalId: null,
    input,
    expectedOutput: null,
    metadata: {},
    source: { traceId: source, spanId: null },
    ...(sourceUser !== undefined && { sourceUser }),
  });
  await itemStore(database).put(project.id, dataset, [
    itemOf(secret, trace_id),
    // Its trace was deleted long ago.
    itemOf(secret, randomUUID(), pseudonymOf(project.id, userId)),
    itemOf("kept", other.trace_id),
  ]);
  const run = randomUUID();
  const judgement = { pair: 0, confidence: 0.5, incarnation, judgement: { value: 1, reason: secret, metadata: {} } };
  const { writes } = heldWrites({ projectId: project.id, runId: run, id: "a#0000" }, [judgement], Date.now());
  const order = JSON.stringify({ id: run, projectId: project.id, filters: { user_id: userId } });
  await itemsOf(database, "runs").transact([
    ...writes,
    {
      put: {
        pk: runPartition(project.id, run),
        sk: "run",
        d: order,
        list_key: runListPartition(project.id, "TRACE"),
        order_key: run,
      },
    },
  ]);
  const principal: Principal = { kind: "user", userId: owner };
  await userErasures(database)(principal, project, userId);
  return {
    project,
    principal,
    userId,
    texts: [userId, secret],
    id: pseudonymOf(project.id, userId),
    dataset,
    set,
    other,
  };
};

type Doomed = Awaited<ReturnType<typeof doomedUser>>;

/** A worker's connection that dies at a call, counted from 1, and at every later one. */
const dyingAt = (line: number) => {
  let call = 0;
  return faultyDatabase(database, () => ((call += 1) >= line ? "crash-before" : null));
};

const onlyCrashes = (error: unknown): void => {
  const failures: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  if (!failures.every((failure) => failure instanceof Crash)) throw error;
};

const isProved = async ({ id }: Doomed, at: number): Promise<boolean> =>
  (await deletionStore(database, () => at).get(id))?.provedAt !== null;

/** What must be left: the other user's item, and the places of the label set with one label less. */
const remains = async ({ project, texts, dataset, set, other }: Doomed) => ({
  texts: await itemsWithTexts(database, texts),
  records: await itemsWithTexts(database, [`${project.id}#erasure#`]),
  items: (await itemStore(database).entries(project.id, dataset)).length,
  count: (await datasetStore(database).get(project.id, dataset))?.itemCount,
  labels: (await labelSetStore(database).labels(project.id, set, 0, 2)).size,
  gone: (await labelSetStore(database).get(project.id, set))?.state.queue.gone,
  other: (await traceReader(database).locate(project.id, other.trace_id))?.row.userId,
});

const whole = { texts: [], records: [], items: 1, count: 1, labels: 0, gone: [0], other: "Ben" };

const step = runsAllCases ? 1 : 9;
const firstLine = 1 + (freshSeed() % step);

test(
  `an erasure ends and leaves nothing wherever its worker dies (from call ${firstLine})`,
  { timeout: 300_000 },
  async () => {
    let [deaths, died] = [0, true];
    for (let line = firstLine; died; line += step) {
      const doomed = await doomedUser(3);
      let at = Date.now();
      const sweep = (from: Database) => deletionEraser(from, schedules, () => at)(60_000);
      const mortal = dyingAt(line);
      for (let turn = 0; turn < 3 && !mortal.crashed; turn += 1) {
        await sweep(mortal).catch(onlyCrashes);
        at += proofMilliseconds + 180_000;
      }
      died = mortal.crashed;
      deaths += died ? 1 : 0;
      for (let turn = 0; turn < 4 && !(await isProved(doomed, at)); turn += 1) {
        await sweep(database);
        at += proofMilliseconds + 180_000;
      }

      expect([line, await isProved(doomed, at), await remains(doomed)]).toEqual([line, true, whole]);
    }
    expect(deaths).toBeGreaterThan(10);
  },
);

test(
  "an erasure of 5,000 traces goes on where its turn ended, and does not wait for a user who goes on sending",
  { timeout: 900_000 },
  async () => {
    const doomed = await doomedUser(5_000);
    const start = Date.now();
    let [at, turns] = [start, 0];
    const late = async () => {
      const trace = someTrace({ user_id: doomed.userId, input: doomed.texts[1] ?? "" });
      await traceStore(database, 0, () => at).save(doomed.project.id, trace);
      return trace.trace_id;
    };
    for (; turns < 40 && !(await isProved(doomed, at)); turns += 1) {
      // The clock of a turn runs out after some steps.
      const now = () => (at += 2);
      await deletionEraser(database, schedules, now)(3_000);
      at += proofMilliseconds / 2;
      if (at > start + proofMilliseconds) await late();
    }
    const last = await late();

    expect(turns).toBeGreaterThan(4);
    expect(turns).toBeLessThan(40);
    expect(await deletionStore(database, () => at).get(doomed.id)).toMatchObject({
      removed: { traces: 5_000, dataset_items: 2, runs: 2, labels: 2 },
    });
    expect(await traceReader(database).locate(doomed.project.id, last)).not.toBeNull();
  },
);

test("a caller who may not change the project's data at the moment of the request begins no erasure", async () => {
  const { project, principal } = await doomedUser(1);
  const request = userErasures(database);
  const keys = apiKeyStore(database);
  const keyOf = async (
    scope: Parameters<typeof keys.create>[3],
    lifetime: number | null = null,
  ): Promise<Principal> => {
    const { id: keyId } = await keys.create(project.organizationId, "k", lifetime, scope);
    return { kind: "key", keyId, organizationId: project.organizationId };
  };
  const revoked = await keyOf({ access: "full", projectId: null });
  if (revoked.kind === "key") await keys.revoke(project.organizationId, revoked.keyId);
  const stranger: Principal = { kind: "user", userId: randomUUID() };
  const refused = [
    stranger,
    revoked,
    await keyOf({ access: "read", projectId: null }),
    await keyOf({ access: "full", projectId: randomUUID() }).catch(() => stranger),
    await keyOf({ access: "full", projectId: null }, -1_000),
  ];

  for (const each of refused)
    await expect(request(each, project, "somebody")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
  await expect(
    request(await keyOf({ access: "full", projectId: project.id }), project, "somebody"),
  ).resolves.toMatchObject({ kind: "USER" });
  await itemsOf(database, "access").update({ pk: `project#${project.id}`, sk: "project" }, "SET deleted_at = :at", {
    values: { ":at": instantAt(0) },
  });
  await expect(request(principal, project, "another")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
  expect(await deletionStore(database).get(pseudonymOf(project.id, "another"))).toBeNull();
});
