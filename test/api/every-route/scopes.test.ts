import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createApiKey, deleteApiKey } from "../../../lib/contract/access/api-keys.ts";
import { removeMember, updateMember } from "../../../lib/contract/access/members.ts";
import { createProject, deleteProject, listProjects, updateProject } from "../../../lib/contract/access/projects.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { previewMasking } from "../../../lib/contract/access/masking.ts";
import { evaluateGate } from "../../../lib/contract/experiments/gates.ts";
import { createExport } from "../../../lib/contract/traces/exports.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { offsetPage } from "../../../lib/domain/page.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { projectStore } from "../../../lib/store/access/projects.ts";
import { inTurn } from "../../support/in-turn.ts";
import { clientWith } from "../../support/service/client.ts";
import type { Reply } from "../../support/reply-shape.ts";
import { minimalRequest, routesByName } from "../../support/service/every-route.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { people, type Person } from "../../support/users.ts";
import { sample } from "../../support/sample.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const { organization } = people();

const byKey = routes.filter(({ access }) => access === "project" || access === "organization");
const ofProjects = byKey.filter(({ access }) => access === "project");

/** Routes that send traces and return only ids, or tell how to send them. A new route must be added here explicitly. */
const ingesting = new Set([
  "createTrace",
  "createTraces",
  "createSpans",
  "exportTraces",
  "exportTracesLangfuse",
  "exportTracesLangsmith",
  "exportTracesLangsmithEndpoint",
  "createLangfuseMedia",
  "ingestLangfuse",
  "ingestLangsmithRuns",
  "ingestLangsmithBatch",
  "createLangsmithRun",
  "updateLangsmithRun",
  "getLangsmithInfo",
  "listLangsmithSessions",
  "exportLogs",
  "exportMetrics",
]);

const mayIngest = ({ id }: Route): boolean => ingesting.has(id);
/** Routes that read by POST. */
const reading = new Set<string>([evaluateGate.id, previewMasking.id, createExport.id]);

const mayRead = (route: Route): boolean => (route.method === "GET" || reading.has(route.id)) && !mayIngest(route);

/** Routes for labellers, who must reach nothing that could show a verdict: only routes of label sets may declare it. */
const mayLabel = ({ path, permission }: Route): boolean =>
  path.startsWith("/evaluations/label-sets") && (permission === "label" || permission === "read_or_label");

const accesses = ["full", "read", "ingest", "label"] as const;
type Access = (typeof accesses)[number];

const allows: Readonly<Record<Access, (route: Route) => boolean>> = {
  full: () => true,
  read: mayRead,
  ingest: mayIngest,
  label: mayLabel,
};

const mayOnly: Readonly<Record<Access, string>> = {
  full: "",
  read: "This API key may only read.",
  ingest: "This API key may only send traces.",
  label: "This API key may only label traces.",
};

const otherProject = "This API key is for another project.";
const noProject = "does not belong to your organization. An API key with restricted access creates none.";

let owner: Person;
let params: { readonly org_id: string };
/** Keys by access: one for all projects, one for the project named `own`. */
let keys: Readonly<Record<Access, { readonly all: string; readonly one: string }>>;
/** Keys that no longer work, by the reason. */
let dead: Readonly<Record<string, string>>;
/** Keys that still work after a change of their maker, by the change. */
let living: Readonly<Record<string, string>>;
/** Headers of requests of a member with the role LABELLER, by the way in which they name project or organization. */
let labellerHeaders: readonly Readonly<Record<string, string>>[];

const makeKey = async (maker: Person, body: object = {}): Promise<{ readonly id: string; readonly key: string }> => {
  const { id, raw_key } = await maker.answer(createApiKey, { params, body: { name: "k", ...body } });
  return { id, key: raw_key ?? "" };
};

/** Names of all projects, read from the storage: through the interface they would be too many requests. */
const projectNames = async (): Promise<readonly string[]> =>
  (await projectStore(database).page(params.org_id, offsetPage(200, 0))).items.map(({ name }) => name).toSorted();

beforeAll(async () => {
  const org = await organization();
  ({ owner, params } = org);
  const [ownProject] = await inTurn(["own", "other"], (name) =>
    owner.answer(createProject, { params, body: { name } }),
  );
  const entries = await inTurn(accesses, async (access) => {
    const organizationKey = await makeKey(owner, { access });
    const projectKey = await makeKey(owner, { access, project_id: ownProject?.id });
    return [access, { all: organizationKey.key, one: projectKey.key }] as const;
  });
  keys = Object.fromEntries(entries) as typeof keys;

  const labeller = await org.join("LABELLER");
  const ofToken = { Authorization: `Bearer ${labeller.token}`, "X-Organization-ID": org.id };
  labellerHeaders = [
    { ...ofToken, "X-Project-ID": ownProject?.id ?? "" },
    { ...ofToken, "X-Project-Name": "own" },
  ];

  const store = apiKeyStore(database);
  const expired = await store.create(org.id, "expired", -1000);
  const revoked = await makeKey(owner, { access: "read" });
  const [leaving, revokedWith, demoted] = await inTurn(["MEMBER", "MEMBER", "ADMIN"] as const, org.join);
  const [keptKey, revokedKey, demotedKey] = await inTurn([leaving, revokedWith, demoted], (maker) =>
    makeKey(maker as Person),
  );
  await owner.call(deleteApiKey, { params: { ...params, key_id: revoked.id } });
  const remove = (user: Person | undefined, keysOf: string) =>
    owner.call(removeMember, { params: { ...params, user_id: user?.userId ?? "" }, query: { keys: keysOf } });
  await remove(leaving, "keep");
  await remove(revokedWith, "revoke");
  await owner.answer(updateMember, { params: { ...params, user_id: demoted?.userId ?? "" }, body: { role: "MEMBER" } });
  dead = { expired: expired.key, revoked: revoked.key, "ended with its maker": revokedKey?.key ?? "" };
  living = { "a removed maker's": keptKey?.key ?? "", "a demoted maker's": demotedKey?.key ?? "" };
});

const call = (route: Route, key: string, project: string | null) =>
  minimalRequest(
    clientWith(service, { "X-API-Key": key, ...(project !== null && { "X-Project-Name": project }) }),
    route,
  );

/** `let in` when the credential is accepted, whatever the reply; otherwise the status and text of the refusal. */
const outcomeIn = ({ status, text }: Reply): string => {
  if (status === 404 && text.includes(noProject)) return `404 ${noProject}`;
  if (status !== 401 && status !== 403) return "let in";
  const { detail, message } = JSON.parse(text) as { detail?: string; message?: string };
  return `${status} ${detail ?? message}`;
};

const outcomeOf = async (route: Route, key: string, project: string | null): Promise<string> =>
  outcomeIn(await call(route, key, project));

test.each(routesByName(byKey))("%s requires the access that its kind of call needs", (_name, route) => {
  const labels = route.method === "GET" ? "read_or_label" : "label";
  const needed = mayIngest(route) ? "ingest" : mayRead(route) ? "read" : "write";
  expect(route.permission).toBe(mayLabel(route) ? labels : needed);
});

test.each(routesByName(byKey))(
  "%s is refused to a member with the role LABELLER unless it labels",
  async (_name, route) => {
    const outcomes = await inTurn(labellerHeaders, async (headers) =>
      outcomeIn(await minimalRequest(clientWith(service, headers), route)),
    );

    const outcome = mayLabel(route) ? "let in" : "403 Your role may only label traces.";
    expect(outcomes).toEqual([outcome, outcome]);
  },
);

test("a labeller reaches what needs no credential, like everybody", async () => {
  const { status } = await clientWith(service, { "X-API-Key": keys.label.all }).call(getHealth);

  expect(status).toBe(200);
});

describe.each(sample("scopes", routesByName(byKey)))("%s", (_name, route) => {
  test("accepts keys by their access, and refuses the others with one error", async () => {
    const project = route.access === "project" ? "own" : null;
    const answers = await inTurn(accesses, async (access) => [
      await outcomeOf(route, keys[access].all, project),
      await outcomeOf(route, keys[access].one, project),
    ]);

    expect(answers).toEqual(
      accesses.map((access) => {
        const answer = allows[access](route) ? "let in" : `403 ${mayOnly[access]}`;
        return [answer, answer];
      }),
    );
  });

  test("refuses a key that has expired, was revoked or was revoked with its maker, and makes no other distinction of makers", async () => {
    const project = route.access === "project" ? "own" : null;
    const [refusals, outcomes] = [
      await inTurn(Object.values(dead), (key) => outcomeOf(route, key, project)),
      await inTurn(Object.values(living), (key) => outcomeOf(route, key, project)),
    ];

    expect(refusals).toEqual([
      "401 API key has expired. Please generate a new one.",
      "401 Invalid or revoked API key.",
      "401 Invalid or revoked API key.",
    ]);
    expect(outcomes).toEqual(["let in", "let in"]);
  });
});

describe.each(sample("scopes of projects", routesByName(ofProjects)))(
  "%s in another project than the key's",
  (_name, route) => {
    test("is not asked for without a project: the key has only one", async () => {
      const replies = await inTurn(accesses, async (access) => {
        const [without, withHeader] = [
          await call(route, keys[access].one, null),
          await call(route, keys[access].one, "own"),
        ];
        return [without.status, withHeader.status];
      });
      const ofAll = await call(route, keys.full.all, null);

      expect(replies.filter(([without, withHeader]) => without !== withHeader)).toEqual([]);
      expect(ofAll.text.includes('["header","X-Project-Name"]')).toBe(route.namesProjects !== true);
    });

    test("is refused with the same error whether the project exists or not, and creates none", async () => {
      const before = await projectNames();
      const missing = `missing-${randomUUID()}`;
      const answers = await inTurn(accesses, async (access) => [
        await outcomeOf(route, keys[access].one, "other"),
        await outcomeOf(route, keys[access].one, missing),
      ]);

      expect(answers).toEqual(
        accesses.map((access) => {
          const answer = allows[access](route) ? `403 ${otherProject}` : `403 ${mayOnly[access]}`;
          return [answer, answer];
        }),
      );
      expect(await projectNames()).toEqual(before);
    });

    test("creates no project for a key with less than full access", async () => {
      const before = await projectNames();
      const answers = await inTurn(["read", "ingest", "label"] as const, (access) =>
        outcomeOf(route, keys[access].all, `missing-${randomUUID()}`),
      );

      expect(answers).toEqual(
        (["read", "ingest", "label"] as const).map((access) =>
          allows[access](route) ? `404 ${noProject}` : `403 ${mayOnly[access]}`,
        ),
      );
      expect(await projectNames()).toEqual(before);
    });
  },
);

test("a key of a project accepts its id and refuses the id of another project", async () => {
  const projects = (await owner.page(listProjects, { params, query: { limit: 200 } })).items;
  const answers = await inTurn(["own", "other"], async (projectName) => {
    const id = projects.find(({ name }) => name === projectName)?.id ?? "";
    const client = clientWith(service, { "X-API-Key": keys.read.one, "X-Project-ID": id });
    const { status, text } = await client.call(listTraces);
    return status === 200 ? "let in" : `${status} ${(JSON.parse(text) as { detail?: string }).detail}`;
  });

  expect(answers).toEqual(["let in", `403 ${otherProject}`]);
});

test("a key of a renamed project works with the new name only, and a key of a deleted project does not work", async () => {
  const [renamed, gone] = await inTurn(["before", "gone"], (name) =>
    owner.answer(createProject, { params, body: { name } }),
  );
  const [ofRenamed, ofGone] = await inTurn([renamed, gone], (each) => makeKey(owner, { project_id: each?.id }));
  const projectParams = (project: { readonly id: string } | undefined) => ({
    ...params,
    project_id: project?.id ?? "",
  });
  await owner.answer(updateProject, { params: projectParams(renamed), body: { name: "after" } });
  await owner.answer(createProject, { params, body: { name: "before" } });
  await owner.call(deleteProject, { params: projectParams(gone) });
  await owner.answer(createProject, { params, body: { name: "gone" } });
  const answers = [
    await outcomeOf(createTrace, ofRenamed?.key ?? "", "after"),
    await outcomeOf(createTrace, ofRenamed?.key ?? "", "before"),
    await outcomeOf(createTrace, ofGone?.key ?? "", "gone"),
  ];

  expect(answers).toEqual(["let in", `403 ${otherProject}`, `403 ${otherProject}`]);
});
