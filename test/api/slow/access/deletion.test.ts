import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { listDeletions, listMyDeletions, type DeletionReply } from "../../../../lib/contract/access/deletions.ts";
import { createInvitation } from "../../../../lib/contract/access/invitations.ts";
import { createMonitor, listMonitors } from "../../../../lib/contract/monitors/monitors.ts";
import {
  deleteOrganization,
  getOrganization,
  listOrganizations,
} from "../../../../lib/contract/access/organizations.ts";
import { createProject, deleteProject, getProject, listProjects } from "../../../../lib/contract/access/projects.ts";
import { createSessionScore } from "../../../../lib/contract/scores/session-scores.ts";
import { createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { deletionEraser } from "../../../../lib/deletion/erase-deleted.ts";
import { storageScan } from "../../../../lib/deletion/scan-storage.ts";
import { deletionStore } from "../../../../lib/store/deletion/deletions.ts";
import { rotationStore } from "../../../../lib/store/runs/rotations.ts";
import { proofMilliseconds } from "../../../../lib/domain/access/deletion.ts";
import { type Client, clientWith } from "../../../support/service/client.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { itemsNaming } from "../../../support/database/items-naming.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { expectStatus } from "../../../support/reply-shape.ts";
import { databaseAt } from "../../../support/service/service-database.ts";
import { scheduledProjects, schedulesAt } from "../../../support/service/service-schedules.ts";
import { someTrace } from "../../../support/traces/traces.ts";
import { people } from "../../../support/users.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const schedules = schedulesAt(inject("scheduling"));
const deletions = deletionStore(database);
const { organization } = people();

/** Stores one of each kind of entity that a project can have. */
const fill = async (client: Client): Promise<void> => {
  const session_id = randomUUID();
  for (let count = 0; count < 3; count += 1) await createScoredTrace(client, session_id);
  await endedRun(client, await client.answer(createTraceRun, { body: { metrics: ["task_completion"] } }));
  const monitor = { name: "m", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly" };
  await client.answer(createMonitor, { body: monitor });
};

const naming = async (ids: readonly string[]): Promise<readonly string[]> =>
  (await itemsNaming(database, ids)).map(({ text }) => text);

/** Suffixes of the partition keys of data that is computed from traces and scores. */
const sums = ["hours", "latest", "session-scores", "trace-scores", "traces"];

/** Waits until the stream workers have computed all derived data of a project with traces and scores of both kinds. */
const waitForSums = async (project: string): Promise<void> => {
  for (const sum of sums) {
    const partition = {
      TableName: database.table("aggregates"),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `${project}#${sum}` },
      Limit: 1,
    };
    await eventually(async () => (await database.client.send(new QueryCommand(partition))).Items?.[0]);
  }
};

const createScoredTrace = async (client: Client, session_id: string): Promise<void> => {
  const { trace_id } = await client.answer(createTrace, { body: someTrace({ session_id }) });
  await client.answer(createTraceScore, { body: { trace_id, name: "helpful", value: "1" } });
  await client.answer(createSessionScore, { body: { session_id, name: "solved", value: "1" } });
};

/** Waits until the stream workers have caught up, by waiting for the derived data of a new project. */
const streamsAtRest = async (): Promise<void> => {
  const { owner, params } = await organization("Sentinel");
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  await createScoredTrace(
    clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "sentinel" }),
    randomUUID(),
  );
  const { items } = await owner.page(listProjects, { params });
  await waitForSums(items.find(({ name }) => name === "sentinel")?.id ?? "");
};

/** Milliseconds that the clock of deletions is ahead of the real one: a table scan proves a deletion only some time after it. */
let clockOffset = 0;

/** Limit of the 16-minute steps: far less than the day after which orphaned parts are removed, as other tests may be writing some. */
const maxAttempts = 12;

/**
 * Runs the sweeper's tasks, 16 minutes later each time, until a receipt is PROVED. The stream workers' clock is the real one:
 * they catch up with an erase pass before the next one.
 *
 * @throws Error after `maxAttempts` attempts.
 */
const provedDeletion = async (receipt: () => Promise<DeletionReply | undefined>): Promise<DeletionReply> => {
  const now = () => Date.now() + clockOffset;
  for (let look = 0; look < maxAttempts; look += 1) {
    await storageScan(database, now)(60_000);
    await deletionEraser(database, schedules, now)(60_000);
    const deletion = await receipt();
    if (deletion?.status === "PROVED") return deletion;
    clockOffset += proofMilliseconds + 1000;
    // A pass that found items leaves work for the stream workers; it may be one of the service's own sweeper.
    const isErasing = (await deletions.open()).some(({ emptySince }) => emptySince === null);
    if (look === 0 || isErasing) await streamsAtRest();
  }
  throw new Error("The deletion was not proved.");
};

test("a deleted organization leaves nothing but the receipt of its deletion", async () => {
  const { owner, id, params, join } = await organization("Doomed");
  const member = await join("MEMBER");
  await owner.answer(createInvitation, { params, body: { email: `${randomUUID()}@example.com` } });
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const client = clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "filled" });
  await fill(client);
  const { items } = await owner.page(listProjects, { params });
  const project_id = items.find(({ name }) => name === "filled")?.id ?? "";
  await waitForSums(project_id);
  const scheduled = await scheduledProjects(schedules);
  // A run that waits for its turn, beside other organizations.
  await rotationStore(database, () => Promise.resolve(id)).enter(project_id, randomUUID());

  expectStatus(await owner.call(deleteOrganization, { params }), 204);
  const [organizationReply, deniedReply] = await Promise.all([
    owner.call(getOrganization, { params }),
    client.call(listMonitors),
  ]);
  const [pendingDeletion] = (await owner.answer(listMyDeletions)).items;
  const { removed } = await provedDeletion(async () => (await owner.answer(listMyDeletions)).items[0]);

  expect(organizationReply.status).toBe(403);
  expect(deniedReply).toMatchObject({
    status: 401,
    body: { detail: "Organization associated with API key not found." },
  });
  expect(pendingDeletion).toMatchObject({
    id,
    kind: "ORGANIZATION",
    name: "Doomed",
    status: "RUNNING",
    proved_empty_at: null,
  });
  expect(removed).toMatchObject({ projects: 2 });
  // The service's own sweeper may have removed them first.
  expect(scheduled).toContain(project_id);
  expect(await scheduledProjects(schedules)).not.toContain(project_id);
  // Gateway keys are deleted last, in the background and within API Gateway's rate limit.
  const remainingKinds = await eventually(async () => {
    const kinds = (await naming([id, project_id])).map((each) => /"pk":"([a-z-]+)/.exec(each)?.[1]);
    return kinds.includes("client") || kinds.includes("gateway-keys") ? undefined : kinds;
  });
  expect(remainingKinds).toEqual(["deletion", "user"]);
  expect((await member.page(listOrganizations)).items.map((each) => each.id)).not.toContain(id);
});

test("a deleted project leaves nothing, its name is free at once, and other projects keep their data", async () => {
  const { owner, params } = await organization("Staying");
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const clientOf = (name: string) => clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": name });
  const [doomedProject, neighbour] = await Promise.all(
    ["doomed", "kept"].map((name) => owner.answer(createProject, { params, body: { name } })),
  );
  await Promise.all([fill(clientOf("doomed")), clientOf("kept").answer(createTrace, { body: someTrace() })]);
  const doomedOptions = { params: { ...params, project_id: doomedProject?.id ?? "" } };
  await waitForSums(doomedProject?.id ?? "");

  expectStatus(await owner.call(deleteProject, doomedOptions), 204);
  const gone = await Promise.all([owner.call(getProject, doomedOptions), owner.call(deleteProject, doomedOptions)]);
  const successor = await owner.answer(createProject, { params, body: { name: "doomed" } });
  const receipt = await provedDeletion(async () => (await owner.answer(listDeletions, { params })).items[0]);

  expect(gone.map(({ status }) => status)).toEqual([404, 404]);
  expect(successor.id).not.toBe(doomedProject?.id);
  expect(receipt).toMatchObject({ id: doomedProject?.id, kind: "PROJECT", name: "doomed", requested_by: owner.userId });
  expect(Object.keys(receipt.removed)).toEqual(expect.arrayContaining(["traces", "scores", "runs", "monitors"]));
  // The receipt, its entry in the organization's list, and the audit entries of its start and end.
  expect((await naming([doomedProject?.id ?? ""])).filter((each) => !each.startsWith("access "))).toEqual([]);
  expect((await clientOf("kept").answer(listTraces)).total).toBe(1);
  expectStatus(await owner.call(getProject, { params: { ...params, project_id: neighbour?.id ?? "" } }), 200);
});
