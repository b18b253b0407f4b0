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
import { traceUuid } from "../../../lib/otlp/span-ids.ts";
import { inTurn } from "../../support/in-turn.ts";
import { type Client, clientWith } from "../../support/service/client.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { minimal, named } from "../../support/service/every-route.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { people, type Person } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

/** Requests at a time: more than a function has sandboxes here, each of which remembers for itself. */
const atOnce = 6;
/** The same of every route that writes, whose sandboxes take long to start. */
const ofEach = 2;
const name = "shop";

/** Routes that store something for a project. */
const writing = routes.filter(({ access, method }) => access === "project" && method !== "GET");

const many = <Result>(work: () => Promise<Result>, length = atOnce): Promise<readonly Result[]> =>
  Promise.all(Array.from({ length }, work));

interface Tenancy {
  readonly id: string;
  readonly owner: Person;
  readonly byKey: (project: string) => Client;
  readonly byToken: (project: string) => Client;
  /** The id that a name stands for; undefined when it stands for none. */
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

/** Something that was sent: how that was answered, and what looking for it in a project answers. */
interface Sent {
  readonly status: number;
  readonly lookUp: (reader: Client) => Promise<{ readonly status: number }>;
}

const traceLookUp =
  (trace_id: string): Sent["lookUp"] =>
  (reader) =>
    reader.call(getTrace, { params: { trace_id } });

/** What stores something that can be read by its id. */
const kinds: readonly (readonly [what: string, accepted: number, store: (writer: Client) => Promise<Sent>])[] = [
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

describe.each(kinds)("what %s acknowledges, with every function warm,", (_what, accepted, store) => {
  const taken = Array.from({ length: atOnce }, () => ({ sent: accepted, found: 200 }));

  const lookUp = (sent: readonly Sent[], reader: Client) =>
    Promise.all(sent.map(async (one) => ({ sent: one.status, found: (await one.lookUp(reader)).status })));

  test("is in the new project once the old one was deleted", async () => {
    const { id, owner, byKey, byToken, idOf } = await newTenancy();
    await many(() => store(byKey(name)));
    const before = (await idOf(name)) ?? "";

    await owner.answer(deleteProject, { params: { org_id: id, project_id: before } });
    const late = await many(() => store(byKey(name)));
    const after = (await idOf(name)) ?? "";

    expect(after).not.toBe(before);
    expect(await lookUp(late, byToken(after || randomUUID()))).toEqual(taken);
  });

  test("under a project's old name is in a new one, and under its new name in the one that was renamed", async () => {
    const { id, owner, byKey, byToken, idOf } = await newTenancy();
    await many(() => store(byKey(name)));
    const before = (await idOf(name)) ?? "";

    await owner.answer(updateProject, { params: { org_id: id, project_id: before }, body: { name: "till" } });
    const [old, renamed] = [await many(() => store(byKey(name))), await many(() => store(byKey("till")))];
    const after = (await idOf(name)) ?? "";

    expect(after).not.toBe(before);
    expect(await lookUp(old, byToken(after || randomUUID()))).toEqual(taken);
    expect(await lookUp(renamed, byToken(before))).toEqual(taken);
  });
});

const foreign = "404 Project not found or does not belong to your organization.";
const orphaned = "401 Organization associated with API key not found.";

/** What every route that writes answers to many at once: each different answer once, in the words of whatever shape it has. */
const answers = async (client: Client) => {
  const said = ({ status, text }: { readonly status: number; readonly text: string }): string => {
    const known = [foreign, orphaned].find((answer) => text.includes(answer.slice("404 ".length)));
    return known?.startsWith(`${status}`) ? known : `${status} ${text}`;
  };
  // Not all at once: sandboxes that start take long.
  return inTurn(named(writing), async ([route, each]) => {
    const replies = await many(() => minimal(client, each), ofEach);
    return [route, [...new Set(replies.map(said))]] as const;
  });
};

const each = (answer: string) => named(writing).map(([route]) => [route, [answer]]);

describe("every route that writes, with every function warm,", () => {
  let tenancy: Tenancy;
  beforeAll(async () => {
    tenancy = await newTenancy();
  });

  test("refuses a token's project as soon as it was deleted", async () => {
    await tenancy.byKey(name).answer(createTrace, { body: someTrace() });
    const id = (await tenancy.idOf(name)) ?? "";
    const warm = await answers(tenancy.byToken(id));
    await tenancy.owner.answer(deleteProject, { params: { org_id: tenancy.id, project_id: id } });

    const after = await answers(tenancy.byToken(id));

    expect(warm.filter(([, texts]) => texts.includes(foreign))).toEqual([]);
    expect(after).toEqual(each(foreign));
  });

  test("refuses keys and tokens as soon as the organization was deleted", async () => {
    await tenancy.byKey(name).answer(createTrace, { body: someTrace() });
    const id = (await tenancy.idOf(name)) ?? "";
    await answers(tenancy.byKey(name));
    await answers(tenancy.byToken(id));
    await tenancy.owner.answer(deleteOrganization, { params: { org_id: tenancy.id } });

    expect(await answers(tenancy.byKey(name))).toEqual(each(orphaned));
    expect(await answers(tenancy.byToken(id))).toEqual(each(foreign));
  });
});
