import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
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

/** A monitor that is due, and what deletes its project and its organization. */
const world = async () => {
  const [access, owner] = [accessStore(database, 10), randomUUID()];
  const organizationId = await access.createOrganization("Acme");
  await access.addMember(organizationId, owner, "OWNER");
  const project = await access.projectNamed(organizationId, "shop");
  const { monitor } = await monitorStore(database).create(someMonitor(project.id, { cadence: everyMinute }));
  const requests = deletionRequests(database);
  return {
    monitor,
    goes: {
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
] as const)("of a monitor that fires when %s was deleted the firing is %s", async (gone, outcome) => {
  const { monitor, goes } = await world();
  const { id, projectId, generation, nextRunAt } = monitor;
  const scheduledAt = nextRunAt ?? 0;
  const watched = watchedDatabase(database);
  expect(await goes[gone]()).toBe(true);

  await environmentFiring(watched).fire({ project: projectId, monitor: id, generation, scheduledAt });

  expect((await firingStore(database).get(projectId, id, scheduledAt))?.outcome).toBe(outcome);
  const written = watched.calls.filter(({ operation }) => !/Get|Query/u.test(operation));
  expect(written.length > 0).toBe(outcome === "RUN");
});
