import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { listDeletions, listMyDeletions, type DeletionReply } from "../../../lib/contract/access/deletions.ts";
import { createInvitation } from "../../../lib/contract/access/invitations.ts";
import { createMonitor, listMonitors } from "../../../lib/contract/monitors/monitors.ts";
import { deleteOrganization, getOrganization, listOrganizations } from "../../../lib/contract/access/organizations.ts";
import { createProject, deleteProject, getProject, listProjects } from "../../../lib/contract/access/projects.ts";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { erasing } from "../../../lib/deletion/erase-deleted.ts";
import { storageScanning } from "../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import { type Client, clientWith } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { expectStatus } from "../../support/reply-shape.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { scheduledProjects, schedulesAt } from "../../support/service/service-schedules.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const schedules = schedulesAt(inject("scheduling"));
const { organization } = people();

/** One of each kind of thing that a project can hold. */
const fill = async (client: Client): Promise<void> => {
  const session_id = randomUUID();
  for (let count = 0; count < 3; count += 1) await scored(client, session_id);
  await endedRun(client, await client.answer(createTraceRun, { body: { metrics: ["task_completion"] } }));
  const monitor = { name: "m", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly" };
  await client.answer(createMonitor, { body: monitor });
};

const naming = async (ids: readonly string[]): Promise<readonly string[]> =>
  (await itemsNaming(database, ids)).map(({ text }) => text);

/** What is computed from traces and scores, by how its keys end and begin. */
const sums = ["hours", "latest", "session-scores", "trace-scores", "traces"];

/** Waits until what follows the streams has computed everything of a project with traces and scores of both kinds. */
const computed = async (project: string): Promise<void> => {
  await eventually(async () => {
    const found = await naming([project]);
    const missing = sums.filter((sum) => !found.some((item) => item.includes(`"pk":"${project}#${sum}"`)));
    return missing.length === 0 ? true : undefined;
  });
};

const scored = async (client: Client, session_id: string): Promise<void> => {
  const { trace_id } = await client.answer(createTrace, { body: someTrace({ session_id }) });
  await client.answer(createTraceScore, { body: { trace_id, name: "helpful", value: "1" } });
  await client.answer(createSessionScore, { body: { session_id, name: "solved", value: "1" } });
};

/** Waits until the streams' workers have ended all that they have begun: they come to what is written now after it. */
const streamsAtRest = async (): Promise<void> => {
  const { owner, params } = await organization("Sentinel");
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  await scored(clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "sentinel" }), randomUUID());
  const { items } = await owner.page(listProjects, { params });
  await computed(items.find(({ name }) => name === "sentinel")?.id ?? "");
};

/** How far the clock of deletions is ahead: a scan of the tables proves what it came after. */
let ahead = 0;

/** Far less than the day after which parts that no row names are removed: other tests may be writing some. */
const mostLooks = 12;

/** Does what the sweeper does, 16 minutes later each time, until a receipt says that nothing is left. */
const proved = async (receipt: () => Promise<DeletionReply | undefined>): Promise<DeletionReply> => {
  const now = () => Date.now() + ahead;
  for (let look = 0; look < mostLooks; look += 1) {
    await storageScanning(database, now)(60_000);
    await erasing(database, schedules, now)(60_000);
    const found = await receipt();
    if (found?.status === "PROVED") return found;
    ahead += proofMilliseconds + 1000;
  }
  throw new Error("The deletion was not proved.");
};

test("of a deleted organization nothing is left but the receipt of its deletion", async () => {
  const { owner, id, params, join } = await organization("Doomed");
  const member = await join("MEMBER");
  await owner.answer(createInvitation, { params, body: { email: `${randomUUID()}@example.com` } });
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const client = clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "filled" });
  await fill(client);
  const { items } = await owner.page(listProjects, { params });
  const project_id = items.find(({ name }) => name === "filled")?.id ?? "";
  await computed(project_id);
  const scheduled = await scheduledProjects(schedules);

  expectStatus(await owner.call(deleteOrganization, { params }), 204);
  const [hidden, refused] = await Promise.all([owner.call(getOrganization, { params }), client.call(listMonitors)]);
  const [begun] = (await owner.answer(listMyDeletions)).items;
  await streamsAtRest();
  const { removed } = await proved(async () => (await owner.answer(listMyDeletions)).items[0]);

  expect(hidden.status).toBe(403);
  expect(refused).toMatchObject({ status: 401, body: { detail: "Organization associated with API key not found." } });
  expect(begun).toMatchObject({ id, kind: "ORGANIZATION", name: "Doomed", status: "RUNNING", proved_empty_at: null });
  expect(removed).toMatchObject({ projects: 2 });
  // The service sweeps, too: either may have removed them.
  expect(scheduled).toContain(project_id);
  expect(await scheduledProjects(schedules)).not.toContain(project_id);
  // Gateway keys go behind it, in the background and as fast as API Gateway lets them.
  const left = await eventually(async () => {
    const kinds = (await naming([id, project_id])).map((each) => /"pk":"([a-z]+)#/.exec(each)?.[1]);
    return kinds.includes("client") ? undefined : kinds;
  });
  expect(left).toEqual(["deletion", "user"]);
  expect((await member.page(listOrganizations)).items.map((each) => each.id)).not.toContain(id);
});

test("of a deleted project nothing is left, its name is free at once, and its neighbours stay", async () => {
  const { owner, params } = await organization("Staying");
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const of = (name: string) => clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": name });
  const [doomed, kept] = await Promise.all(
    ["doomed", "kept"].map((name) => owner.answer(createProject, { params, body: { name } })),
  );
  await Promise.all([fill(of("doomed")), of("kept").answer(createTrace, { body: someTrace() })]);
  const one = { params: { ...params, project_id: doomed?.id ?? "" } };
  await computed(doomed?.id ?? "");

  expectStatus(await owner.call(deleteProject, one), 204);
  const gone = await Promise.all([owner.call(getProject, one), owner.call(deleteProject, one)]);
  const again = await owner.answer(createProject, { params, body: { name: "doomed" } });
  await streamsAtRest();
  const receipt = await proved(async () => (await owner.answer(listDeletions, { params })).items[0]);

  expect(gone.map(({ status }) => status)).toEqual([404, 404]);
  expect(again.id).not.toBe(doomed?.id);
  expect(receipt).toMatchObject({ id: doomed?.id, kind: "PROJECT", name: "doomed", requested_by: owner.userId });
  expect(Object.keys(receipt.removed)).toEqual(expect.arrayContaining(["traces", "scores", "runs", "monitors"]));
  // The receipt, its place in the organization's list, and the audit of both its beginning and its end.
  expect((await naming([doomed?.id ?? ""])).filter((each) => !each.startsWith("access "))).toEqual([]);
  expect((await of("kept").answer(listTraces)).total).toBe(1);
  expectStatus(await owner.call(getProject, { params: { ...params, project_id: kept?.id ?? "" } }), 200);
});
