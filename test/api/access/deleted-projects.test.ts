import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { deleteOrganization } from "../../../lib/contract/access/organizations.ts";
import { deleteProject, listProjects, updateProject } from "../../../lib/contract/access/projects.ts";
import { createMonitor, getMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { inTurn } from "../../support/in-turn.ts";
import { type Client, clientWith } from "../../support/service/client.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { minimalRequest, routesByName } from "../../support/service/every-route.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { people, type Person } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

/** Number of parallel requests: more than a function has sandboxes here, each with its own cache. */
const parallelRequests = 6;
/** Parallel requests to each route that writes: fewer, as its sandboxes are slow to start. */
const parallelPerRoute = 2;
const name = "shop";

/** Routes that store something for a project. */
const writingRoutes = routes.filter(({ access, method }) => access === "project" && method !== "GET");

const many = <Result>(work: () => Promise<Result>, length = parallelRequests): Promise<readonly Result[]> =>
  Promise.all(Array.from({ length }, work));

interface Tenancy {
  readonly id: string;
  readonly owner: Person;
  readonly byKey: (project: string) => Client;
  readonly byToken: (project: string) => Client;
  /** Returns the id of the project with a name, or undefined when there is none. */
  readonly idOf: (project: string) => Promise<string | undefined>;
}

const newTenancy = async (): Promise<Tenancy> => {
  const { id, owner, params } = await organization();
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  return {
    id,
    owner,
    byKey: (project) => clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": project }),
    byToken: (project) => clientWith(service, { ...owner.headers, "X-Project-ID": project }),
    idOf: async (project) => {
      const { items } = await owner.page(listProjects, { params });
      return items.find((each) => each.name === project)?.id;
    },
  };
};

const monitor = { name: "m", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly" };

/** A request that was sent: the status of its reply, and a function that reads the stored entity in a project. */
interface SentRequest {
  readonly status: number;
  readonly lookUp: (reader: Client) => Promise<{ readonly status: number }>;
}

const traceLookUp =
  (trace_id: string): SentRequest["lookUp"] =>
  (reader) =>
    reader.call(getTrace, { params: { trace_id } });

/** Routes that store something that can be read by its id, with the success status of each. */
const kinds: readonly (readonly [what: string, accepted: number, store: (writer: Client) => Promise<SentRequest>])[] = [
  [
    "POST /traces",
    202,
    async (writer) => {
      const body = someTrace();
      const { status } = await writer.call(createTrace, { body });
      return { status, lookUp: traceLookUp(body.trace_id) };
    },
  ],
  [
    "POST /traces/batch",
    202,
    async (writer) => {
      const trace = someTrace();
      const { status } = await writer.call(createTraces, { body: { traces: [trace] } });
      return { status, lookUp: traceLookUp(trace.trace_id) };
    },
  ],
  [
    "POST /v1/traces",
    200,
    async (writer) => {
      const id = randomUUID().replaceAll("-", "");
      const { status } = await writer.call(exportTraces, { body: jsonExport([jsonSpan(id, id.slice(0, 16))]) });
      return { status, lookUp: traceLookUp(traceUuid(id)) };
    },
  ],
  [
    "POST /evaluations/monitors",
    201,
    async (writer) => {
      const { status, body } = await writer.call(createMonitor, { body: monitor });
      const params = { monitor_id: body.id };
      return { status, lookUp: (reader) => reader.call(getMonitor, { params }) };
    },
  ],
];

describe.each(kinds)("a write that %s acknowledges, with every function warm,", (_what, accepted, store) => {
  const allReadable = Array.from({ length: parallelRequests }, () => ({ writeStatus: accepted, readStatus: 200 }));

  const lookUp = (acknowledged: readonly SentRequest[], reader: Client) =>
    Promise.all(
      acknowledged.map(async (request) => ({
        writeStatus: request.status,
        readStatus: (await request.lookUp(reader)).status,
      })),
    );

  test("is stored in the new project once the old one was deleted", async () => {
    const { id, owner, byKey, byToken, idOf } = await newTenancy();
    await many(() => store(byKey(name)));
    const before = (await idOf(name)) ?? "";

    await owner.answer(deleteProject, { params: { org_id: id, project_id: before } });
    const lateRequests = await many(() => store(byKey(name)));
    const after = (await idOf(name)) ?? "";

    expect(after).not.toBe(before);
    expect(await lookUp(lateRequests, byToken(after || randomUUID()))).toEqual(allReadable);
  });

  test("to a renamed project's old name goes to a new project, and to its new name to the renamed one", async () => {
    const { id, owner, byKey, byToken, idOf } = await newTenancy();
    await many(() => store(byKey(name)));
    const before = (await idOf(name)) ?? "";

    await owner.answer(updateProject, { params: { org_id: id, project_id: before }, body: { name: "till" } });
    const [old, renamed] = [await many(() => store(byKey(name))), await many(() => store(byKey("till")))];
    const after = (await idOf(name)) ?? "";

    expect(after).not.toBe(before);
    expect(await lookUp(old, byToken(after || randomUUID()))).toEqual(allReadable);
    expect(await lookUp(renamed, byToken(before))).toEqual(allReadable);
  });
});

const foreign = "404 Project not found or does not belong to your organization.";
const orphaned = "401 Organization associated with API key not found.";

/** Answer to a key that the deletion, which works in the background, has removed. */
const revoked = '401 {"detail":"Invalid or revoked API key."}';

/** The different answers of every writing route to parallel requests: a known refusal, or the status and text. */
const answers = async (client: Client) => {
  const outcomeOf = ({ status, text }: { readonly status: number; readonly text: string }): string => {
    const knownRefusal = [foreign, orphaned].find((answer) => text.includes(answer.slice("404 ".length)));
    return knownRefusal?.startsWith(`${status}`) ? knownRefusal : `${status} ${text}`;
  };
  // One route at a time: sandboxes are slow to start.
  return inTurn(routesByName(writingRoutes), async ([route, each]) => {
    const replies = await many(() => minimalRequest(client, each), parallelPerRoute);
    return [route, [...new Set(replies.map(outcomeOf))]] as const;
  });
};

const each = (answer: string) => routesByName(writingRoutes).map(([route]) => [route, [answer]]);

describe("every route that writes, with every function warm,", () => {
  let tenancy: Tenancy;
  beforeAll(async () => {
    tenancy = await newTenancy();
  });

  test("refuses a token's project as soon as it is deleted", async () => {
    await tenancy.byKey(name).answer(createTrace, { body: someTrace() });
    const id = (await tenancy.idOf(name)) ?? "";
    const warm = await answers(tenancy.byToken(id));
    await tenancy.owner.answer(deleteProject, { params: { org_id: tenancy.id, project_id: id } });

    const after = await answers(tenancy.byToken(id));

    expect(warm.filter(([, texts]) => texts.includes(foreign))).toEqual([]);
    expect(after).toEqual(each(foreign));
  });

  test("refuses keys and tokens as soon as the organization is deleted", async () => {
    await tenancy.byKey(name).answer(createTrace, { body: someTrace() });
    const id = (await tenancy.idOf(name)) ?? "";
    await answers(tenancy.byKey(name));
    await answers(tenancy.byToken(id));
    await tenancy.owner.answer(deleteOrganization, { params: { org_id: tenancy.id } });

    const toKeys = (await answers(tenancy.byKey(name))).map(([route, texts]) => {
      const ofKey = new Set(texts.map((text) => (text === revoked ? orphaned : text)));
      return [route, [...ofKey]] as const;
    });
    expect(toKeys).toEqual(each(orphaned));
    expect(await answers(tenancy.byToken(id))).toEqual(each(foreign));
  });
});
