import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { Access, Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { type IdPosition, idPositions } from "../../../fuzz/id-positions.ts";
import { kindNames, make, makerOf } from "../../../fuzz/kinds.ts";
import { type Parts, simplestParts, wireOf } from "../../../fuzz/requests.ts";
import { surfaceOf } from "../../../fuzz/surface.ts";
import { type Dump, projectsAtRest } from "../../../fuzz/table-dump.ts";
import { simplest } from "../../../fuzz/values.ts";
import { bearerClient, type Client, newProject, send } from "../../../support/service/client.ts";
import type { Reply } from "../../../support/reply-shape.ts";
import { databaseAt } from "../../../support/service/service-database.ts";
import { sample } from "../../../support/sample.ts";

/** True for kinds of access in which a header names the project. A new kind of access needs its line. */
const withinProject: Readonly<Record<Access, boolean>> = {
  public: false,
  project: true,
  organization: false,
  verified: false,
  user: false,
};

const positions = routes.filter(({ access }) => withinProject[access]).flatMap(idPositions);
const namedPositions = positions.map((position): readonly [string, IdPosition] => {
  const { route, where, path } = position;
  return [`${route.method} ${route.path}: ${where} ${path.join(".")}`, position];
});

const unnamed = positions.filter(({ name }) => makerOf(name) === undefined);

test("every position of an id in a request has a thing with such an id", () => {
  const missing = [...new Set(unnamed.map(({ name }) => name))].map(
    (name) => `Add a line to the kinds in test/fuzz/kinds.ts that makes what "${name}" names and returns its id.`,
  );

  expect(missing).toEqual([]);
});

/** A project that no request may change, and the ids of its contents. */
interface ProtectedProject {
  readonly whose: string;
  readonly projectId: string;
  readonly things: Readonly<Record<string, string>>;
  readonly before: Dump;
}

const service = inject("service");
const database = databaseAt(inject("storage"));
let victims: readonly ProtectedProject[];

const victimOf = async (whose: string, client: Client): Promise<Omit<ProtectedProject, "before">> => {
  const things = Object.fromEntries(
    await Promise.all(kindNames.map(async (name) => [name, await make(name, client)] as const)),
  );
  return { whose, projectId: things["X-Project-ID"] ?? "", things };
};

const dumpsOf = (projects: readonly Pick<ProtectedProject, "projectId">[]): Promise<readonly Dump[]> =>
  projectsAtRest(
    database,
    projects.map(({ projectId }) => projectId),
  );

beforeAll(async () => {
  const createdVictims = await Promise.all([
    victimOf("another project of the organization", newProject(service)),
    victimOf("a project of another organization", newProject(service, service.stranger)),
  ]);
  const dumps = await dumpsOf(createdVictims);
  victims = createdVictims.map(({ whose, projectId, things }, index) => ({
    whose,
    projectId,
    things,
    before: dumps[index] ?? [],
  }));
});

const idOf = ({ things }: ProtectedProject, name: string): string =>
  things[name] ?? things[name.replace(/s$/u, "")] ?? "";

/** Optional fields of bodies that are refused without them, by route. */
const neededFields: Readonly<Record<string, object>> = {
  ingestLangsmithRuns: { post: [] },
  ingestLangsmithBatch: { post: [] },
  createLangsmithRun: { start_time: "2026-10-01T10:00:00+00:00" },
  createLangsmithFeedback: { run_id: randomUUID(), score: 1 },
  updateLangsmithFeedback: { score: 1 },
  createLangfuseDatasetRunItem: { traceId: randomUUID() },
};

const withNeededFields = ({ id }: Route, parts: Parts): Parts => {
  const { body } = parts;
  const fields = neededFields[id];
  return fields === undefined ? parts : { ...parts, body: { ...fields, ...Object(body) } };
};

/** Request parts that are valid except for the ids in the given position. */
const partsWithIds = (
  { route, where, path, name: kind }: IdPosition,
  params: Parts["params"],
  ids: readonly string[],
): Parts => {
  const parts = simplestParts(route, params);
  const [id = ""] = ids;
  const [name = ""] = path.map(String);
  const { body } = surfaceOf(route);
  switch (where) {
    case "path":
      return { ...parts, params: { ...params, [name]: id } };
    case "query":
      // With a hyphen in the path, the id of the path is given in the query.
      return {
        ...parts,
        ...(Object.hasOwn(params, kind) && { params: { ...params, [kind]: "-" } }),
        query: { ...parts.query, [name]: ids },
      };
    case "header":
      return { ...parts, headers: { [name]: id } };
    case "body":
      if (body === null) return parts;
      return ids.length === 1
        ? { ...parts, body: simplest(body, path, id) }
        : { ...parts, body: simplest(body, path.slice(0, -1), ids) };
    default:
      return where satisfies never;
  }
};

const withIds: typeof partsWithIds = (position, ...ids) =>
  withNeededFields(position.route, partsWithIds(position, ...ids));

const uuids = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/giu;
const cursors = /(?<="next_cursor":)"[^"]*"/gu;
const instants = /\d{4}-\d\d-\d\dT[0-9:.]+\+00:00/gu;

/** A reply as text that does not depend on the id, other ids, path parameters, cursors and clocks. */
const anonymous = ({ status, text, headers }: Reply, id: string, params: Parts["params"]): string => {
  const hidden = text.replaceAll(String(headers["x-request-id"]), "<request>").replaceAll(id, "<id>");
  const ownValues = Object.values(params).map(String);
  const withoutOwn = ownValues.reduce((masked, each) => masked.replaceAll(each, "<own>"), hidden);
  const timeless = withoutOwn.replaceAll(uuids, "<other id>").replaceAll(instants, "<now>");
  // A cursor belongs to one project and shows which.
  return `${status} ${timeless.replaceAll(cursors, "<cursor>")}`;
};

/** A random id of the same form. */
const unusedId = (id: string): string => id.replaceAll(uuids, () => randomUUID());

/** Path parameters that a request needs besides the id in the position: entities of the caller's project. */
const ownParams = async ({ route, where, path }: IdPosition, client: Client): Promise<Parts["params"]> =>
  Object.fromEntries(
    await Promise.all(
      Object.keys(surfaceOf(route).params)
        .filter((name) => where !== "path" || name !== path[0])
        .map(async (name) => [name, await make(name, client)]),
    ),
  );

/** Sends the same request for each of some ids, by default in a new project. An entity that the request changes is created for each. */
const ask = async (
  position: IdPosition,
  how: "key" | "token",
  ids: readonly string[],
  project: Client = newProject(service),
  makeOwnId: (() => Promise<string>) | null = null,
  otherParams: Parts["params"] = {},
): Promise<readonly string[]> => {
  const { route } = position;
  const { headers } = how === "key" ? project : bearerClient(service, await make("X-Project-ID", project));
  const shared = route.method === "GET" ? await ownParams(position, project) : null;
  const requests = await Promise.all(
    ids.map(async (id): Promise<readonly [id: string, parts: Parts]> => {
      const params = shared ?? (await ownParams(position, project));
      return [
        id,
        withIds(position, { ...params, ...otherParams }, makeOwnId === null ? [id] : [id, await makeOwnId()]),
      ];
    }),
  );
  const outcomes: string[] = [];
  for (const [id, parts] of requests) {
    // A project of its own for each request, as some entities may exist once only.
    const needsNewProject = position.where === "header" && how === "key" && Object.keys(parts.params).length === 0;
    const requestHeaders = needsNewProject ? newProject(service).headers : headers;
    outcomes.push(anonymous(await send(service, wireOf(route, parts, requestHeaders)), id, parts.params));
  }
  return outcomes;
};

/** True if the caller may name the project: a user may name any project of their organizations. */
const isAllowed = ({ where }: IdPosition, how: string, { whose }: ProtectedProject): boolean =>
  where === "header" && how === "token" && whose.endsWith("of the organization");

const addressedPositions = namedPositions.filter(([, position]) => !unnamed.includes(position));

/** Credentials to test a position with: both for the header that names the project, alternating for other ids. */
const credentialsFor = (position: IdPosition): readonly ("key" | "token")[] =>
  position.where === "header" ? ["key", "token"] : positions.indexOf(position) % 2 === 0 ? ["key"] : ["token"];

describe.each(sample("isolation", addressedPositions))("%s", (_name, position) => {
  test.each(credentialsFor(position))("another tenant's id is answered like an unknown id, by %s", async (how) => {
    const foreign = victims
      .filter((victim) => !isAllowed(position, how, victim))
      .map((victim) => idOf(victim, position.name));
    const [unknown = "", ...replies] = await ask(position, how, [unusedId(foreign[0] ?? ""), ...foreign]);

    expect(replies).toEqual(foreign.map(() => unknown));
    // The request was valid except for the id. LangSmith's SDKs repeat feedback that is sent before its run.
    expect(unknown).not.toMatch(/^(?:401|413|415|422|429(?! .*has not arrived yet)) /u);
  });
});

describe.each(
  sample(
    "isolation in lists",
    addressedPositions.filter(([, { isListItem: listed }]) => listed),
  ),
)("%s", (_name, position) => {
  test("another tenant's id is answered like an unknown id in a list with ids of the caller", async () => {
    const foreign = victims.map((victim) => idOf(victim, position.name));
    const ids = [unusedId(foreign[0] ?? ""), ...foreign];
    const project = newProject(service);
    const [unknown, ...replies] = await ask(position, "key", ids, project, () => make(position.name, project));

    expect(replies).toEqual(foreign.map(() => unknown));
  });
});

const readPositions = addressedPositions.filter(([, { where, route }]) => where === "path" && route.method === "GET");

describe.each(sample("own ids", readPositions))("%s", (_name, position) => {
  test("an id of the caller is answered", async () => {
    const project = newProject(service);
    // The trace that is created with a span has the same id as the span.
    const ofSpan = position.route.path.includes("{span_id}");
    const id = await make(ofSpan ? "span_id" : position.name, project);
    const spanParams = ofSpan ? { trace_id: id, span_id: id } : {};
    const [reply] = await ask(position, "key", [id], project, null, spanParams);

    expect(reply).toMatch(new RegExp(`^${position.route.success} `, "u"));
  });
});

test("nothing in another tenant's project has changed", async () => {
  const after = await dumpsOf(victims);

  expect(after).toEqual(victims.map(({ before }) => before));
  expect(victims.map(({ before }) => before.length > kindNames.length)).toEqual([true, true]);
});
