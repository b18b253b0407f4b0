import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../lib/contract/api-keys.ts";
import { listDeletions, listMyDeletions } from "../../lib/contract/deletions.ts";
import { createInvitation } from "../../lib/contract/invitations.ts";
import { createMonitor, listMonitors } from "../../lib/contract/monitors.ts";
import { deleteOrganization, getOrganization, listOrganizations } from "../../lib/contract/organizations.ts";
import { createProject, deleteProject, getProject, listProjects } from "../../lib/contract/projects.ts";
import { createSessionScore } from "../../lib/contract/session-scores.ts";
import { createTraceRun } from "../../lib/contract/trace-runs.ts";
import { createTraceScore } from "../../lib/contract/trace-scores.ts";
import { createTrace, listTraces } from "../../lib/contract/traces.ts";
import { erasing } from "../../lib/deletion/erase-deleted.ts";
import { proofMilliseconds } from "../../lib/domain/deletion.ts";
import { tableNames } from "../../lib/store/table.ts";
import { sorted } from "../fuzz/table-dump.ts";
import { type Client, clientWith } from "../support/client.ts";
import { endedRun } from "../support/ended-run.ts";
import { eventually } from "../support/local-fixture.ts";
import { expectStatus } from "../support/reply-shape.ts";
import { databaseAt } from "../support/service-database.ts";
import { someTrace } from "../support/traces.ts";
import { people } from "../support/users.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const { organization } = people();

/** One of each kind of thing that a project can hold. */
const fill = async (client: Client): Promise<void> => {
  const session_id = randomUUID();
  for (let count = 0; count < 3; count += 1) {
    const { trace_id } = await client.answer(createTrace, { body: someTrace({ session_id }) });
    await client.answer(createTraceScore, { body: { trace_id, name: "helpful", value: "1" } });
  }
  await client.answer(createSessionScore, { body: { session_id, name: "solved", value: "1" } });
  await endedRun(client, await client.answer(createTraceRun, { body: { metrics: ["task_completion"] } }));
  const monitor = { name: "m", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly" };
  await client.answer(createMonitor, { body: monitor });
};

/** All items that name one of some ids, as text or in bytes, by reading every table whole. */
const naming = async (ids: readonly string[]): Promise<readonly string[]> => {
  const forms = ids.flatMap((id) => [id, id.replaceAll("-", "")]);
  const found: string[] = [];
  for (const name of tableNames) {
    const input = { TableName: database.table(name), ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: database.client }, input)) {
      const texts = Items.map((item) => `${name} ${JSON.stringify(sorted(item))}`);
      found.push(...texts.filter((text) => forms.some((form) => text.includes(form))));
    }
  }
  return found.toSorted();
};

/** The same, once the workers of the streams have come to rest. */
const namingAtRest = async (ids: readonly string[]): Promise<readonly string[]> => {
  let [last, quiet] = ["", 0];
  return eventually(async () => {
    await new Promise((resolve) => void setTimeout(resolve, 300));
    const now = await naming(ids);
    quiet = now.join("\n") === last ? quiet + 1 : 0;
    last = now.join("\n");
    return quiet >= 3 ? now : undefined;
  }, 25_000);
};

const schedulesOf = () => {
  const removed: string[] = [];
  return {
    removed,
    remove: async (project: string): Promise<void> => {
      removed.push(project);
    },
  };
};

test("of a deleted organization nothing is left but the receipt of its deletion", async () => {
  const { owner, id, params, join } = await organization("Doomed");
  const member = await join("MEMBER");
  await owner.answer(createInvitation, { params, body: { email: `${randomUUID()}@example.com` } });
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const client = clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "filled" });
  await fill(client);
  const { items } = await owner.answer(listProjects, { params });
  const project_id = items.find(({ name }) => name === "filled")?.id ?? "";
  await namingAtRest([project_id]);
  const schedules = schedulesOf();
  let ahead = 0;
  const erase = erasing(database, schedules, () => Date.now() + ahead);

  expectStatus(await owner.call(deleteOrganization, { params }), 204);
  const [hidden, refused] = await Promise.all([owner.call(getOrganization, { params }), client.call(listMonitors)]);
  const [begun] = (await owner.answer(listMyDeletions)).items;
  await erase(60_000);
  await namingAtRest([id, project_id]);
  const proved = await eventually(async () => {
    ahead += proofMilliseconds + 60_000;
    await erase(60_000);
    const [receipt] = (await owner.answer(listMyDeletions)).items;
    return receipt?.status === "PROVED" ? receipt : undefined;
  });

  expect(hidden.status).toBe(403);
  expect(refused).toMatchObject({ status: 401, body: { detail: "Organization associated with API key not found." } });
  expect(begun).toMatchObject({ id, kind: "ORGANIZATION", name: "Doomed", status: "RUNNING", proved_empty_at: null });
  expect(proved.removed).toMatchObject({ projects: 2 });
  expect(schedules.removed).toContain(project_id);
  expect((await naming([id, project_id])).map((each) => /"pk":"([a-z]+)#/.exec(each)?.[1])).toEqual([
    "deletion",
    "user",
  ]);
  expect((await member.answer(listOrganizations)).items.map((each) => each.id)).not.toContain(id);
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
  await namingAtRest([doomed?.id ?? ""]);
  let ahead = 0;
  const erase = erasing(database, schedulesOf(), () => Date.now() + ahead);

  expectStatus(await owner.call(deleteProject, one), 204);
  const gone = await Promise.all([owner.call(getProject, one), owner.call(deleteProject, one)]);
  const again = await owner.answer(createProject, { params, body: { name: "doomed" } });
  await erase(60_000);
  await namingAtRest([doomed?.id ?? ""]);
  const proved = await eventually(async () => {
    ahead += proofMilliseconds + 60_000;
    await erase(60_000);
    const [receipt] = (await owner.answer(listDeletions, { params })).items;
    return receipt?.status === "PROVED" ? receipt : undefined;
  });

  expect(gone.map(({ status }) => status)).toEqual([404, 404]);
  expect(again.id).not.toBe(doomed?.id);
  expect(proved).toMatchObject({ id: doomed?.id, kind: "PROJECT", name: "doomed", requested_by: owner.userId });
  expect(Object.keys(proved.removed)).toEqual(expect.arrayContaining(["traces", "scores", "runs", "monitors"]));
  // The receipt, its place in the organization's list, and the audit of both its beginning and its end.
  expect((await naming([doomed?.id ?? ""])).filter((each) => !each.startsWith("access "))).toEqual([]);
  expect((await of("kept").answer(listTraces)).total).toBe(1);
  expectStatus(await owner.call(getProject, { params: { ...params, project_id: kept?.id ?? "" } }), 200);
});
