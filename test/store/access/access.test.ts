import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { once } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const isTransaction = ({ operation }: { readonly operation: string }): boolean => operation === "TransactWriteItems";

test("a hundred first uses of a name at once make one project", async () => {
  const access = accessStore(database, 10);
  const organization = await access.createOrganization("Acme");

  const projects = await Promise.all(Array.from({ length: 100 }, () => access.projectNamed(organization, "default")));

  expect(new Set(projects.map(({ id }) => id)).size).toBe(1);
});

test("first uses that meet on the organization all get their project", async () => {
  let left = 60;
  const own = faultyDatabase(database, (call) => {
    if (!isTransaction(call) || left === 0) return null;
    left -= 1;
    return "conflict";
  });
  const access = accessStore(own, 100);
  const organization = await accessStore(database, 100).createOrganization("Acme");

  const projects = await Promise.all(
    Array.from({ length: 20 }, (_, index) => access.projectNamed(organization, `project ${index}`)),
  );

  expect(new Set(projects.map(({ id }) => id)).size).toBe(20);
});

test("an organization gets no more projects than it may, and keeps those it has", async () => {
  const access = accessStore(database, 3);
  const organization = await access.createOrganization("Acme");

  const outcomes = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => access.projectNamed(organization, `project ${index}`)),
  );

  const made = outcomes.filter(({ status }) => status === "fulfilled");
  const refused = outcomes.flatMap((outcome): unknown[] => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(made.length).toBe(3);
  expect(refused).toEqual(
    Array.from({ length: 9 }, () =>
      expect.objectContaining({ reason: expect.objectContaining({ kind: "forbidden" }) }),
    ),
  );
  const names = (made as PromiseFulfilledResult<{ name: string }>[]).map(({ value }) => value.name);
  for (const name of names) expect((await access.projectNamed(organization, name)).name).toBe(name);
});

test("a project whose creation was answered by nobody is found by the repetition, and counted once", async () => {
  const access = accessStore(database, 1);
  const organization = await access.createOrganization("Acme");
  const own = faultyDatabase(database, once(isTransaction, "crash-after"));
  await expect(accessStore(own, 1).projectNamed(organization, "default")).rejects.toThrow("died");

  const again = await access.projectNamed(organization, "default");

  expect(again.name).toBe("default");
  await expect(access.projectNamed(organization, "second")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
});

test("names of one organization are nothing to another", async () => {
  const access = accessStore(database, 10);
  const [mine, theirs] = [await access.createOrganization("A"), await access.createOrganization("B")];

  const [one, other] = [await access.projectNamed(mine, "default"), await access.projectNamed(theirs, "default")];

  expect(one.id).not.toBe(other.id);
  expect(one.organizationId).toBe(mine);
});

test.each([["unknown"], ["known"]])(
  "a project whose organization is %s is told to its members, and to nobody once either is gone",
  async (knowledge) => {
    const access = accessStore(database, 10);
    const [organization, user] = [await access.createOrganization("Acme"), randomUUID()];
    const expected = knowledge === "known" ? organization : undefined;
    await access.addMember(organization, user, "OWNER");
    const [one, other] = [
      await access.projectNamed(organization, "one"),
      await access.projectNamed(organization, "two"),
    ];
    const found = (id: string, by = user) => access.projectOfMember(id, by, expected);
    const requests = deletionRequests(database);

    expect(await found(one.id)).toEqual(one);
    expect(await found(one.id, randomUUID())).toBeNull();
    expect(await found(randomUUID())).toBeNull();
    await requests.ofProject(one, user);
    expect([await found(one.id), await found(other.id)]).toEqual([null, other]);
    // The membership goes with the organization: a second owner's is still there.
    const second = randomUUID();
    await access.addMember(organization, second, "OWNER");
    await requests.ofOrganization({ id: organization, name: "Acme", createdAt: "" }, user);
    expect(await found(other.id, second)).toBeNull();
  },
);
