import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { once } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const isTransaction = ({ operation }: { readonly operation: string }): boolean => operation === "TransactWriteItems";

test("a hundred concurrent first uses of a project name create one project", async () => {
  const access = accessStore(database, 10);
  const organization = await access.createOrganization("Acme");

  const projects = await Promise.all(
    Array.from({ length: 100 }, () => access.findOrCreateProject(organization, "default")),
  );

  expect(new Set(projects.map(({ id }) => id)).size).toBe(1);
});

test("concurrent first uses of different names all get their project although their transactions conflict on the organization", async () => {
  let remainingConflicts = 60;
  const faultyDb = faultyDatabase(database, (call) => {
    if (!isTransaction(call) || remainingConflicts === 0) return null;
    remainingConflicts -= 1;
    return "conflict";
  });
  const access = accessStore(faultyDb, 100);
  const organization = await accessStore(database, 100).createOrganization("Acme");

  const projects = await Promise.all(
    Array.from({ length: 20 }, (_, index) => access.findOrCreateProject(organization, `project ${index}`)),
  );

  expect(new Set(projects.map(({ id }) => id)).size).toBe(20);
});

test("an organization gets no more projects than its limit, and its existing projects stay usable", async () => {
  const access = accessStore(database, 3);
  const organization = await access.createOrganization("Acme");

  const outcomes = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => access.findOrCreateProject(organization, `project ${index}`)),
  );

  const fulfilled = outcomes.filter(({ status }) => status === "fulfilled");
  const rejectionReasons = outcomes.flatMap((outcome): unknown[] =>
    outcome.status === "rejected" ? [outcome.reason] : [],
  );
  expect(fulfilled.length).toBe(3);
  expect(rejectionReasons).toEqual(
    Array.from({ length: 9 }, () =>
      expect.objectContaining({ reason: expect.objectContaining({ kind: "forbidden" }) }),
    ),
  );
  const names = (fulfilled as PromiseFulfilledResult<{ name: string }>[]).map(({ value }) => value.name);
  for (const name of names) expect((await access.findOrCreateProject(organization, name)).name).toBe(name);
});

test("a project whose creation got no answer is returned by the retry and is counted once", async () => {
  const access = accessStore(database, 1);
  const organization = await access.createOrganization("Acme");
  const faultyDb = faultyDatabase(database, once(isTransaction, "crash-after"));
  await expect(accessStore(faultyDb, 1).findOrCreateProject(organization, "default")).rejects.toThrow("died");

  const project = await access.findOrCreateProject(organization, "default");

  expect(project.name).toBe("default");
  await expect(access.findOrCreateProject(organization, "second")).rejects.toMatchObject({
    reason: { kind: "forbidden" },
  });
});

test("a project that was deleted before its creator learned of it is created anew, without a word of the limit", async () => {
  const organization = await accessStore(database, 10).createOrganization("Acme");
  let attempts = 0;
  const faultyDb = faultyDatabase(database, async (call) => {
    if (!isTransaction(call)) return null;
    attempts += 1;
    if (attempts === 3) {
      const project = await accessStore(database, 10).projectOfName(organization, "default");
      if (project !== null) deletedIds.push(project.id);
      if (project !== null) await deletionRequests(database).ofProject(project, randomUUID());
    }
    return ([null, "timeout-after", "conflict"] as const)[attempts] ?? null;
  });
  const deletedIds: string[] = [];

  const project = await accessStore(faultyDb, 10).findOrCreateProject(organization, "default");

  expect(deletedIds).toHaveLength(1);
  expect(deletedIds).not.toContain(project.id);
});

test("equal project names in two organizations are different projects", async () => {
  const access = accessStore(database, 10);
  const [firstOrganization, secondOrganization] = [
    await access.createOrganization("A"),
    await access.createOrganization("B"),
  ];

  const [firstProject, secondProject] = [
    await access.findOrCreateProject(firstOrganization, "default"),
    await access.findOrCreateProject(secondOrganization, "default"),
  ];

  expect(firstProject.id).not.toBe(secondProject.id);
  expect(firstProject.organizationId).toBe(firstOrganization);
});

test.each([["unknown"], ["known"]])(
  "a project whose organization is %s is returned to members only, and to nobody after the project or the organization is deleted",
  async (knowledge) => {
    const access = accessStore(database, 10);
    const [organization, user] = [await access.createOrganization("Acme"), randomUUID()];
    const expected = knowledge === "known" ? organization : undefined;
    await access.addMember(organization, user, "OWNER");
    const [project, otherProject] = [
      await access.findOrCreateProject(organization, "one"),
      await access.findOrCreateProject(organization, "two"),
    ];
    const lookUp = (id: string, userId = user) => access.projectOfMember(id, userId, expected);
    const requests = deletionRequests(database);

    expect(await lookUp(project.id)).toEqual({ project, role: "OWNER" });
    expect(await lookUp(project.id, randomUUID())).toBeNull();
    expect(await lookUp(randomUUID())).toBeNull();
    await requests.ofProject(project, user);
    expect(await lookUp(project.id)).toBeNull();
    expect(await lookUp(otherProject.id)).toEqual({ project: otherProject, role: "OWNER" });
    // The deletion of the organization removes the membership of its requester; a second owner's membership still exists.
    const second = randomUUID();
    await access.addMember(organization, second, "OWNER");
    await requests.ofOrganization({ id: organization, name: "Acme", createdAt: "" }, user);
    expect(await lookUp(otherProject.id, second)).toBeNull();
  },
);
