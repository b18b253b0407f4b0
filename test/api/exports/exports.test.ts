import { createHash, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { isPresigned } from "../../../infra/local/s3/presigned.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createExport, listExportDays } from "../../../lib/contract/traces/exports.ts";
import { parquetOf } from "../../../lib/lake/parquet.ts";
import { sql } from "../../../lib/lake/sql.ts";
import { temporaryFolder, testEngine } from "../../support/lake/lake.ts";
import { newProject, requestTimeout, type Client } from "../../support/service/client.ts";

const service = inject("service");
const range = { started_after: "2026-10-01", started_before: "2026-10-03" };

const store = async (project: Client, day: string, count: number): Promise<readonly string[]> => {
  const ids = Array.from({ length: count }, () => randomUUID());
  const traces = ids.map((trace_id) => ({ trace_id, name: "x", started_at: `${day}T10:00:00Z` }));
  await project.answer(createTraces, { body: { traces } });
  return ids;
};

/** Sends a request for an export until all of it is there. */
const completeExport = async (project: Client) => {
  const send = () => project.answer(createExport, { body: range });
  const options = { timeout: requestTimeout, interval: 500 };
  await expect.poll(async () => (await send()).missing, options).toEqual([]);
  return await send();
};

test("an export has links to files with all traces and scores of a range, once they are written", async () => {
  const project = newProject(service);
  const ids = [...(await store(project, "2026-10-01", 3)), ...(await store(project, "2026-10-02", 2))];
  await store(project, "2026-10-03", 1);
  const score = await project.answer(createTraceScore, { body: { trace_id: ids[0], name: "helpful", value: 0.5 } });
  const first = await project.answer(createExport, { body: range });
  expect(first).toMatchObject({ complete: false, days: [{ day: "2026-10-02" }, { day: "2026-10-01" }] });
  expect(first.missing).toHaveLength(2);

  const { complete, days } = await completeExport(project);

  expect([complete, days.map(({ day, stored_traces }) => [day, stored_traces])]).toEqual([
    true,
    [
      ["2026-10-02", 2],
      ["2026-10-01", 3],
    ],
  ]);
  const folder = temporaryFolder();
  const paths = await Promise.all(
    days
      .flatMap(({ files }) => files)
      .map(async ({ table, url, bytes, sha256 }) => {
        const body = Buffer.from(await (await fetch(url)).arrayBuffer());
        expect([body.length, createHash("sha256").update(body).digest("hex")]).toEqual([bytes, sha256]);
        const path = join(folder, `${table}-${sha256}`);
        writeFileSync(path, body);
        return { table, path };
      }),
  );
  const engine = await testEngine(folder);
  const column = async (table: string, name: "trace_id" | "score_id") => {
    const files = parquetOf(paths.filter((each) => each.table === table).map(({ path }) => path));
    return (await engine.rows(sql`SELECT * FROM ${files}`)).map((row) => row[name]);
  };
  expect((await column("traces", "trace_id")).toSorted()).toEqual(ids.toSorted());
  expect(await column("scores", "score_id")).toEqual([score.id]);
  const listed = await project.answer(listExportDays, { query: range });
  const shapeOf = ({ day, files }: (typeof listed.days)[number]) => [
    day,
    files.map(({ key, sha256 }) => [key, sha256]),
  ];
  expect(listed.days.map(shapeOf)).toEqual(days.map(shapeOf));
  expect(JSON.stringify(listed)).not.toContain("X-Amz-Signature");
  expect(await newProject(service).answer(listExportDays, { query: range })).toEqual({ days: [] });
});

test("an export with spans has all spans, and what traces got and answered", async () => {
  const project = newProject(service);
  const spans = ["plan", "look up"].map((name) => ({
    span_id: randomUUID(),
    name,
    started_at: "2026-10-01T10:00:01Z",
    input: { name },
    output: "4",
  }));
  const trace = { trace_id: randomUUID(), name: "x", input: ["question"], started_at: "2026-10-01T10:00:00Z", spans };
  await project.answer(createTraces, { body: { traces: [trace] } });
  const send = () => project.answer(createExport, { body: { ...range, spans: true } });
  const complete = { complete: true, missing: [], days: [{ stored_traces: 1, complete: true }] };
  await expect.poll(send, { timeout: requestTimeout, interval: 500 }).toMatchObject(complete);

  const { days } = await send();

  const folder = temporaryFolder();
  const file = days[0]?.files.find(({ table }) => table === "spans");
  const path = join(folder, "spans");
  writeFileSync(path, Buffer.from(await (await fetch(file?.url ?? "")).arrayBuffer()));
  const engine = await testEngine(folder);
  const rows = await engine.rows(
    sql`SELECT span_id, name, input ->> '$' AS text, output ->> '$' AS answer FROM ${parquetOf([path])} ORDER BY name`,
  );
  expect(rows.map((row) => Object.values(row))).toEqual([
    [spans[1]?.span_id, "look up", '{"name":"look up"}', "4"],
    [spans[0]?.span_id, "plan", '{"name":"plan"}', "4"],
    [null, "x", '["question"]', null],
  ]);
  const withoutSpans = await project.answer(createExport, { body: range });
  expect(withoutSpans.days[0]?.files.map(({ table }) => table)).toEqual(["traces", "scores"]);
});

test("a link is for one file and a quarter of an hour", async () => {
  const project = newProject(service);
  await store(project, "2026-10-01", 1);
  const { days } = await completeExport(project);
  const [traces = "", scores = ""] = (days[0]?.files ?? []).map(({ url }) => url);
  const url = new URL(traces);
  const signature = url.searchParams.get("X-Amz-Signature") ?? "";
  const minute = 60_000;

  expect((await fetch(url)).status).toBe(200);
  for (const link of [
    `${url.origin}${url.pathname}`,
    traces.replace(signature, signature.replaceAll(/[0-7]/gu, "8")),
    `${new URL(scores).origin}${new URL(scores).pathname}${url.search}`,
    traces.replace("X-Amz-Expires=900", "X-Amz-Expires=9000"),
  ])
    expect([link, (await fetch(link)).status]).toEqual([link, 403]);
  expect((await fetch(url, { method: "DELETE" })).status).toBe(403);
  expect(isPresigned(url, url.host, Date.now() + 14 * minute)).toBe(true);
  expect(isPresigned(url, url.host, Date.now() + 16 * minute)).toBe(false);
});

test.each([
  [{ started_after: "2026-10-03", started_before: "2026-10-03" }, "started_before", "must be after"],
  [{ started_after: "2026-06-01", started_before: "2026-10-03" }, "started_after", "at most 100 days"],
])("the range %o is refused, and nothing is written for it", async (body, field, message) => {
  const project = newProject(service);
  await store(project, "2026-10-02", 1);

  const reply = await project.call(createExport, { body });

  expect(reply).toMatchObject({ status: 422 });
  expect(reply.text).toContain(message);
  expect(reply.body).toMatchObject({ detail: [{ loc: ["body", field] }] });
  const { days } = await project.answer(listExportDays, { query: range });
  expect(days).toMatchObject([{ status: "open", files: [] }]);
});
