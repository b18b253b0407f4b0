import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { listAuditEvents } from "../../../lib/contract/access/audit.ts";
import { listOrganizations } from "../../../lib/contract/access/organizations.ts";
import { createMonitor, deleteMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { createTraceRun, deleteTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { deleteSession } from "../../../lib/contract/sessions/sessions.ts";
import { deleteTrace, deleteTraces } from "../../../lib/contract/traces/deletion.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { bearerClient, newProject } from "../../support/service/client.ts";

const service = inject("service");
const project = newProject(service);
const owner = bearerClient(service, service.tenant.projectId);

const storeTrace = async (fields: object = {}): Promise<string> =>
  (await project.answer(createTrace, { body: { name: "t", started_at: "2026-11-21T09:00:00Z", ...fields } })).trace_id;

const deletions = async (target: string) => {
  const { items } = await owner.page(listOrganizations, { query: { limit: "50" } });
  const events = await Promise.all(
    items.map(
      async ({ id }) =>
        (await owner.answer(listAuditEvents, { params: { org_id: id }, query: { limit: "100" } })).items,
    ),
  );
  return events.flat().filter(({ target_id: id }) => id === target);
};

const byKey = { actor_type: "API_KEY", actor_id: expect.stringMatching(/^[0-9a-f-]{36}$/u) };

test("deleting a trace with a key adds one audit entry, with the key and the project", async () => {
  const id = await storeTrace();
  await project.answer(deleteTrace, { params: { trace_id: id } });
  await project.call(deleteTrace, { params: { trace_id: id } });

  expect(await deletions(id)).toEqual([
    expect.objectContaining({
      action: "trace.deleted",
      ...byKey,
      details: { project_id: expect.any(String), deleted: "1" },
    }),
  ]);
});

test("the audit entry names the traces that existed, or for a session the number of its traces", async () => {
  const ids = [await storeTrace(), await storeTrace()];
  const session = `session-${randomUUID()}`;
  for (const _ of [1, 2, 3]) await storeTrace({ session_id: session });
  await project.answer(deleteTraces, { body: { trace_ids: [...ids, randomUUID()] } });
  await project.answer(deleteSession, { params: { session_id: session } });

  const [ofSession] = await deletions(session);
  expect(ofSession).toMatchObject({ action: "session.deleted", ...byKey, details: { deleted: "3" } });
  const [ofBatch] = await deletions(ofSession?.details["project_id"] ?? "");
  expect(ofBatch).toMatchObject({ action: "trace.deleted", details: { deleted: "2", ids: ids.join(",") } });
});

test("deleting runs and monitors adds audit entries too", async () => {
  const run = await project.answer(createTraceRun, { body: { metrics: ["task_completion"] } });
  const monitor = await project.answer(createMonitor, {
    body: { name: "nightly", target_type: "TRACE", metrics: ["task_completion"], cadence: "daily" },
  });
  await project.answer(deleteTraceRun, { params: { run_id: run.id } });
  await project.answer(deleteMonitor, { params: { monitor_id: monitor.id } });

  expect(await deletions(run.id)).toMatchObject([{ action: "run.deleted", ...byKey }]);
  expect(await deletions(monitor.id)).toMatchObject([{ action: "monitor.deleted", ...byKey }]);
});
