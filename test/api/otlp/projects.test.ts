import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { createProject } from "../../../lib/contract/access/projects.ts";
import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { exportMetrics } from "../../../lib/contract/otlp/export-metrics.ts";
import { exportTraces, exportTracesLangsmith } from "../../../lib/contract/otlp/export-traces.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { offsetPage } from "../../../lib/domain/page.ts";
import { projectStore } from "../../../lib/store/access/projects.ts";
import { inTurn } from "../../support/in-turn.ts";
import { recorded } from "../../support/integrations.ts";
import { attributesOf } from "../../support/otlp/otlp-span.ts";
import { type ExportReply, hexId, jsonExport, jsonSpan, otlpTypes, sendExport } from "../../support/otlp/otlp.ts";
import { clientWith } from "../../support/service/client.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

type Names = Readonly<Record<string, string>>;

/** A new organization with a project named `own`, and functions that send telemetry with a key and read what arrived. */
const newOrganization = async (scope: object = {}) => {
  const { owner, params } = await organization();
  const ownProject = await owner.answer(createProject, { params, body: { name: "own" } });
  const keyOf = async (body: object): Promise<string> =>
    (await owner.answer(createApiKey, { params, body: { name: "k", ...body } })).raw_key ?? "";
  const [readerKey, key] = await inTurn(
    [{}, "project_id" in scope ? { ...scope, project_id: ownProject.id } : scope],
    keyOf,
  );
  const send = (body: unknown, headers: Names = {}, path: string = exportTraces.path): Promise<ExportReply> =>
    sendExport(
      service,
      { "X-API-Key": key ?? "", ...headers },
      JSON.stringify(body),
      { "Content-Type": otlpTypes.json },
      path,
    );
  /** Names of the stored traces by project, without empty projects. */
  const tracesByProject = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
    const projects = await projectStore(databaseAt(inject("storage"))).page(params.org_id, offsetPage(200, 0));
    const entries = await inTurn(projects.items, async ({ name }) => {
      const reader = clientWith(service, { "X-API-Key": readerKey ?? "", "X-Project-Name": name });
      return [name, (await reader.answer(listTraces)).items.map((trace) => trace.name).toSorted()] as const;
    });
    return Object.fromEntries(entries.filter(([, traces]) => traces.length > 0));
  };
  return { key: key ?? "", send, tracesByProject };
};

const span = (name: string, attributes: Names = {}, traceId = hexId(16)) =>
  jsonSpan(traceId, hexId(8), { name }, attributes);
const inLangSmith = (name: string): Names => ({ "langsmith.trace.session_name": name });
const inBraintrust = (parent: string): Names => ({ "braintrust.parent": parent });
/** A request with the resources of several requests. */
const joined = (...requests: readonly ReturnType<typeof jsonExport>[]) => ({
  resourceSpans: requests.flatMap(({ resourceSpans }) => resourceSpans),
});

test("telemetry without a project header goes to the project that it names, or to `default`", async () => {
  const { key, send, tracesByProject } = await newOrganization();
  const traceId = hexId(16);

  const recording = await sendExport(
    service,
    { "X-API-Key": key },
    recorded("langsmith-spans.pb"),
    { "Content-Type": otlpTypes.protobuf },
    exportTracesLangsmith.path,
  );
  const replies = await inTurn(
    [
      joined(
        jsonExport([span("one", inLangSmith("first"), traceId), span("two", inLangSmith("second"))]),
        jsonExport([{ ...span("in the trace of one", {}, traceId), parentSpanId: hexId(8) }, span("unnamed")]),
        jsonExport([span("by its resource")], inLangSmith("third")),
        jsonExport([span("beside", inBraintrust("project_name:fourth")), span("of the same resource")]),
      ),
      jsonExport([span("of an experiment", inBraintrust("experiment_id:1"))]),
    ],
    (body) => send(body),
  );
  const ofProcessor = await send(
    jsonExport([span("by its parent"), span("elsewhere", inBraintrust("project_name:first"), hexId(16))]),
    { "X-API-Key": "", Authorization: `Bearer ${key}`, "x-bt-parent": "project_name:fifth" },
    exportTracesLangsmith.path,
  );

  expect([recording, ...replies, ofProcessor].map(({ status, bytes }) => [status, String(bytes)])).toEqual([
    [200, ""],
    [200, "{}"],
    [200, "{}"],
    [200, "{}"],
  ]);
  expect(await tracesByProject()).toEqual({
    default: ["of an experiment", "unnamed"],
    recsmith: ["agent"],
    first: ["elsewhere", "one"],
    second: ["two"],
    third: ["by its resource"],
    fourth: ["beside", "of the same resource"],
    fifth: ["by its parent"],
  });
});

test("telemetry of a key for one project stays there, whatever it names", async () => {
  const { key, send, tracesByProject } = await newOrganization({ access: "ingest", project_id: "own" });

  const replies = await inTurn(
    [{}, { "X-API-Key": "", Authorization: `Bearer ${key}`, "x-bt-parent": "project_name:other" }],
    (headers) => send(jsonExport([span("unnamed"), span("named", inLangSmith("other"))]), headers),
  );
  const byHeader = await send(jsonExport([span("by header")]), { "Langsmith-Project": "other" });

  expect(replies.map(({ status, bytes }) => [status, String(bytes)])).toEqual([
    [200, "{}"],
    [200, "{}"],
  ]);
  expect(byHeader.status).toBe(403);
  expect(await tracesByProject()).toEqual({ own: ["named", "named", "unnamed", "unnamed"] });
});

test("a project that a key may not create is refused with its reason, and the rest of the request is stored", async () => {
  const { send, tracesByProject } = await newOrganization({ access: "ingest" });
  const { projectId } = service.stranger;

  const replies = await inTurn(
    [
      jsonExport([span("unnamed")]),
      jsonExport([span("nowhere", inLangSmith("nowhere"))]),
      jsonExport([span("of a stranger", inBraintrust(`project_id:${projectId}`))]),
      jsonExport([span("stored", inLangSmith("own")), span("nowhere", inLangSmith("nowhere"))]),
      jsonExport([span("stored too", inLangSmith("own")), span("malformed", inLangSmith("a/b"))]),
    ],
    (body) => send(body),
  );

  expect(replies.map(({ status, bytes }) => [status, JSON.parse(String(bytes)) as unknown])).toMatchObject([
    [404, { message: expect.stringContaining("Name a project in X-Project-Name.") as string }],
    [404, { message: expect.stringContaining("not found") as string }],
    [404, { message: expect.stringContaining("not found") as string }],
    [200, { partialSuccess: { rejectedSpans: "1", errorMessage: expect.stringContaining("not found") as string } }],
    [
      200,
      { partialSuccess: { rejectedSpans: "1", errorMessage: expect.stringContaining("letter or digit") as string } },
    ],
  ]);
  expect(await tracesByProject()).toEqual({ own: ["stored", "stored too"] });
});

test("a project header takes all telemetry of a request, and a request may name at most 20 projects", async () => {
  const { send, tracesByProject } = await newOrganization();
  const spans = Array.from({ length: 21 }, (_, at) => span(`s${at}`, inLangSmith(`p${at}`)));

  const byHeader = await send(jsonExport([span("by header", inLangSmith("other"))]), { "X-Project-Name": "own" });
  const tooMany = await send(jsonExport(spans));

  expect([byHeader.status, String(tooMany.bytes)]).toEqual([200, expect.stringContaining("at most 20 projects")]);
  const traces = await tracesByProject();
  expect(traces["own"]).toEqual(["by header"]);
  expect(Object.keys(traces)).toHaveLength(1 + 20);
});

test("log events go to the project of their resource, and metrics need none", async () => {
  const { send, tracesByProject } = await newOrganization();
  const event = { timeUnixNano: "1795251600000000000", eventName: "gen_ai.user.message", spanId: hexId(8) };
  const logsOf = (attributes: Names) => ({
    resource: { attributes: attributesOf(attributes) },
    scopeLogs: [{ logRecords: [{ ...event, traceId: hexId(16), body: { stringValue: "Hello" } }] }],
  });

  const logs = await send({ resourceLogs: [logsOf(inLangSmith("chat")), logsOf({})] }, {}, exportLogs.path);
  const metrics = await send({ resourceMetrics: [] }, {}, exportMetrics.path);

  expect([logs, metrics].map(({ status, bytes }) => [status, String(bytes)])).toEqual([
    [200, "{}"],
    [200, "{}"],
  ]);
  expect(await tracesByProject()).toEqual({ chat: [event.eventName], default: [event.eventName] });
});
