import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createApiKey, deleteApiKey } from "../../../lib/contract/access/api-keys.ts";
import { removeMember, updateMember } from "../../../lib/contract/access/members.ts";
import { createProject, deleteProject, listProjects, updateProject } from "../../../lib/contract/access/projects.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { pageAt } from "../../../lib/domain/page.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { projectStore } from "../../../lib/store/access/projects.ts";
import { inTurn } from "../../support/in-turn.ts";
import { clientWith } from "../../support/service/client.ts";
import { minimal, named } from "../../support/service/every-route.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { people, type Person } from "../../support/users.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const { organization } = people();

const byKey = routes.filter(({ access }) => access === "project" || access === "organization");
const ofProjects = byKey.filter(({ access }) => access === "project");

/** What sends traces, and answers no more than ids. A route that is to be among them is added here on purpose. */
const ingesting = new Set([
  "createTrace",
  "createTraces",
  "createSpans",
  "exportTraces",
  "exportTracesLangfuse",
  "exportTracesLangsmith",
  "exportLogs",
  "exportMetrics",
]);

const mayRead = ({ method }: Route): boolean => method === "GET";
const mayIngest = ({ id }: Route): boolean => ingesting.has(id);

const accesses = ["full", "read", "ingest"] as const;
type Access = (typeof accesses)[number];

const allows: Readonly<Record<Access, (route: Route) => boolean>> = {
  full: () => true,
  read: mayRead,
  ingest: mayIngest,
};

const mayOnly: Readonly<Record<Access, string>> = {
  full: "",
  read: "This API key may only read.",
  ingest: "This API key may only send traces.",
};

const otherProject = "This API key is for another project.";
const noProject = "Project not found or does not belong to your organization.";

let owner: Person;
let params: { readonly org_id: string };
/** Keys by what they may do, for all projects and for the one named `own`. */
let keys: Readonly<Record<Access, { readonly all: string; readonly one: string }>>;
/** Keys that are good for nothing, by why. */
let dead: Readonly<Record<string, string>>;
/** Keys that go on, by whose they were. */
let living: Readonly<Record<string, string>>;

const makeKey = async (by: Person, body: object = {}): Promise<{ readonly id: string; readonly key: string }> => {
  const { id, raw_key } = await by.answer(createApiKey, { params, body: { name: "k", ...body } });
  return { id, key: raw_key ?? "" };
};

/** What there is, asked of the storage: four times a route it is no matter of the interface. */
const projectNames = async (): Promise<readonly string[]> =>
  (await projectStore(database).page(params.org_id, pageAt(200, 0))).items.map(({ name }) => name).toSorted();

beforeAll(async () => {
  const made = await organization();
  ({ owner, params } = made);
  const [own] = await inTurn(["own", "other"], (name) => owner.answer(createProject, { params, body: { name } }));
  const entries = await inTurn(accesses, async (access) => {
    const all = await makeKey(owner, { access });
    const one = await makeKey(owner, { access, project_id: own?.id });
    return [access, { all: all.key, one: one.key }] as const;
  });
  keys = Object.fromEntries(entries) as typeof keys;

  const store = apiKeyStore(database);
  const expired = await store.create(made.id, "expired", -1000);
  const revoked = await makeKey(owner, { access: "read" });
  const [leaving, revokedWith, demoted] = await inTurn(["MEMBER", "MEMBER", "ADMIN"] as const, made.join);
  const [left, ended, kept] = await inTurn([leaving, revokedWith, demoted], (by) => makeKey(by as Person));
  await owner.call(deleteApiKey, { params: { ...params, key_id: revoked.id } });
  const remove = (who: Person | undefined, keysOf: string) =>
    owner.call(removeMember, { params: { ...params, user_id: who?.userId ?? "" }, query: { keys: keysOf } });
  await remove(leaving, "keep");
  await remove(revokedWith, "revoke");
  await owner.answer(updateMember, { params: { ...params, user_id: demoted?.userId ?? "" }, body: { role: "MEMBER" } });
  dead = { expired: expired.key, revoked: revoked.key, "ended with its maker": ended?.key ?? "" };
  living = { "a removed maker's": left?.key ?? "", "a demoted maker's": kept?.key ?? "" };
});

const call = (route: Route, key: string, project: string | null) =>
  minimal(clientWith(service, { "X-API-Key": key, ...(project !== null && { "X-Project-Name": project }) }), route);

/** `let in` for whatever a route answers to those whom it lets in, else the status and the words of a refusal. */
const told = async (route: Route, key: string, project: string | null): Promise<string> => {
  const { status, text } = await call(route, key, project);
  if (status === 404 && text.includes(noProject)) return `404 ${noProject}`;
  if (status !== 401 && status !== 403) return "let in";
  const { detail, message } = JSON.parse(text) as { detail?: string; message?: string };
  return `${status} ${detail ?? message}`;
};

describe.each(named(byKey))("%s", (_name, route) => {
  test("asks of a key what its kind of call needs", () => {
    expect(route.permission).toBe(mayIngest(route) ? "ingest" : mayRead(route) ? "read" : "write");
  });

  test("lets keys in by what they may do, and refuses the others in one sentence", async () => {
    const project = route.access === "project" ? "own" : null;
    const answers = await inTurn(accesses, async (access) => [
      await told(route, keys[access].all, project),
      await told(route, keys[access].one, project),
    ]);

    expect(answers).toEqual(
      accesses.map((access) => {
        const answer = allows[access](route) ? "let in" : `403 ${mayOnly[access]}`;
        return [answer, answer];
      }),
    );
  });

  test("refuses a key that has expired, was revoked or has ended with its maker, and knows no other difference of makers", async () => {
    const project = route.access === "project" ? "own" : null;
    const [refused, admitted] = [
      await inTurn(Object.values(dead), (key) => told(route, key, project)),
      await inTurn(Object.values(living), (key) => told(route, key, project)),
    ];

    expect(refused).toEqual([
      "401 API key has expired. Please generate a new one.",
      "401 Invalid or revoked API key.",
      "401 Invalid or revoked API key.",
    ]);
    expect(admitted).toEqual(["let in", "let in"]);
  });
});

describe.each(named(ofProjects))("%s in another project than the key's", (_name, route) => {
  test("refuses in the same words whether it is there or not, and makes none", async () => {
    const before = await projectNames();
    const missing = `missing-${randomUUID()}`;
    const answers = await inTurn(accesses, async (access) => [
      await told(route, keys[access].one, "other"),
      await told(route, keys[access].one, missing),
    ]);

    expect(answers).toEqual(
      accesses.map((access) => {
        const answer = allows[access](route) ? `403 ${otherProject}` : `403 ${mayOnly[access]}`;
        return [answer, answer];
      }),
    );
    expect(await projectNames()).toEqual(before);
  });

  test("makes none for a key that may only read or send traces", async () => {
    const before = await projectNames();
    const answers = await inTurn(["read", "ingest"] as const, (access) =>
      told(route, keys[access].all, `missing-${randomUUID()}`),
    );

    expect(answers).toEqual(
      (["read", "ingest"] as const).map((access) =>
        allows[access](route) ? `404 ${noProject}` : `403 ${mayOnly[access]}`,
      ),
    );
    expect(await projectNames()).toEqual(before);
  });
});

test("a key of a project opens it by its id, and no other", async () => {
  const projects = (await owner.page(listProjects, { params, query: { limit: 200 } })).items;
  const answers = await inTurn(["own", "other"], async (wanted) => {
    const id = projects.find(({ name }) => name === wanted)?.id ?? "";
    const client = clientWith(service, { "X-API-Key": keys.read.one, "X-Project-ID": id });
    const { status, text } = await client.call(listTraces);
    return status === 200 ? "let in" : `${status} ${(JSON.parse(text) as { detail?: string }).detail}`;
  });

  expect(answers).toEqual(["let in", `403 ${otherProject}`]);
});

test("a key of a project follows it under its new name, and opens no other of the old one, nor anything once it is deleted", async () => {
  const [renamed, gone] = await inTurn(["before", "gone"], (name) =>
    owner.answer(createProject, { params, body: { name } }),
  );
  const [ofRenamed, ofGone] = await inTurn([renamed, gone], (each) => makeKey(owner, { project_id: each?.id }));
  const of = (project: { readonly id: string } | undefined) => ({ ...params, project_id: project?.id ?? "" });
  await owner.answer(updateProject, { params: of(renamed), body: { name: "after" } });
  await owner.answer(createProject, { params, body: { name: "before" } });
  await owner.call(deleteProject, { params: of(gone) });
  await owner.answer(createProject, { params, body: { name: "gone" } });
  const answers = [
    await told(createTrace, ofRenamed?.key ?? "", "after"),
    await told(createTrace, ofRenamed?.key ?? "", "before"),
    await told(createTrace, ofGone?.key ?? "", "gone"),
  ];

  expect(answers).toEqual(["let in", `403 ${otherProject}`, `403 ${otherProject}`]);
});
