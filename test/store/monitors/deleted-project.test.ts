import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { environmentFiring } from "../../../lib/wiring/firing.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  vi.stubEnv("JUDGE_MODEL", "offline/rules");
  vi.stubEnv("MAX_TARGETS_PER_RUN", "10");
  database = await startDatabase();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
});

/** A due monitor, and the deletion requests of its project and its organization. */
const setUp = async () => {
  const [access, owner] = [accessStore(database, 10), randomUUID()];
  const organizationId = await access.createOrganization("Acme");
  await access.addMember(organizationId, owner, "OWNER");
  const project = await access.findOrCreateProject(organizationId, "shop");
  const { monitor } = await monitorStore(database).create(someMonitor(project.id, { cadence: everyMinute }));
  const requests = deletionRequests(database);
  return {
    monitor,
    organizationId,
    deletions: {
      nothing: async () => true,
      "its project": () => requests.ofProject(project, owner),
      "its organization": () =>
        requests.ofOrganization({ id: organizationId, name: "Acme", createdAt: project.id }, owner),
    },
  };
};

test.each([
  ["nothing", "RUN"],
  ["its project", undefined],
  ["its organization", undefined],
] as const)("a monitor that fires after %s was deleted records the firing %s", async (deletedThing, outcome) => {
  const { monitor, organizationId, deletions } = await setUp();
  const { id, projectId, generation, nextRunAt } = monitor;
  const scheduledAt = nextRunAt ?? 0;
  const watched = watchedDatabase(database);
  expect(await deletions[deletedThing]()).toBe(true);

  await environmentFiring(watched).fire({ project: projectId, monitor: id, generation, scheduledAt });

  const firing = await firingStore(database).get(projectId, id, scheduledAt);
  expect(firing?.outcome).toBe(outcome);
  const run = firing === null ? null : await runStore(database).read(projectId, firing.runId ?? "");
  expect(run?.origin).toEqual(outcome === "RUN" ? { organization_id: organizationId } : undefined);
  const writes = watched.calls.filter(({ operation }) => !/Get|Query/u.test(operation));
  expect(writes.length > 0).toBe(outcome === "RUN");
});
