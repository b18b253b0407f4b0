import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";
import { createTraceScore } from "../../lib/contract/scores/trace-scores.ts";
import { createTraces } from "../../lib/contract/traces/batch.ts";
import { createExport } from "../../lib/contract/traces/exports.ts";
import { temporaryFolder } from "../support/lake/lake.ts";
import { newProject, requestTimeout } from "../support/service/client.ts";
import { readByPython } from "./read-lake.ts";

const service = inject("service");
test("/docs/exports: pandas, pyarrow and DuckDB for Python read the same traces and scores from an export's files", async () => {
  const project = newProject(service);
  const days = ["2026-10-01", "2026-10-02"];
  const span = { span_id: randomUUID(), name: "y", kind: "LLM", model: "m", started_at: `${days[0]}T10:00:00Z` };
  const traces = ['Läuft "quer"/\\ 漢字', "plain"].map((name, index) => ({
    trace_id: randomUUID(),
    name,
    started_at: `${days[index]}T10:00:00.123456Z`,
    tags: ["a", `t'${index}`],
    spans: [{ ...span, span_id: randomUUID(), cost: { total: 0.1 + index * 0.25 } }],
  }));
  await project.answer(createTraces, { body: { traces } });
  for (const { trace_id } of traces)
    await project.answer(createTraceScore, { body: { trace_id, name: "helpful", value: 0.25 } });
  const body = { started_after: "2026-10-01", started_before: "2026-10-03" };
  const send = () => project.answer(createExport, { body });
  await expect.poll(async () => (await send()).missing, { timeout: requestTimeout, interval: 500 }).toEqual([]);
  const folder = temporaryFolder();
  for (const { key, url } of (await send()).days.flatMap(({ files }) => files)) {
    const path = join(folder, key.replace(/^snapshots\//u, ""));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
  }

  const tables = readByPython(folder);
  const byId = <Each extends { readonly trace_id: string }>(items: readonly Each[]): readonly Each[] =>
    items.toSorted((a, b) => (a.trace_id < b.trace_id ? -1 : 1));
  const expectedTraces = traces.map(({ trace_id, name, tags, started_at, spans }, index) => {
    const cost = spans[0]?.cost.total ?? 0;
    const money = { cost_usd: cost, cost_nano_usd: Math.round(cost * 1e9) };
    return { trace_id, name, ...money, day: days[index], tags, started_at: started_at.replace("Z", "+00:00") };
  });
  const expectedScores = traces.map(({ trace_id }, index) => ({
    trace_id,
    name: "helpful",
    number: 0.25,
    day: days[index],
  }));
  for (const reader of ["pandas", "pyarrow", "duckdb"] as const) {
    expect([reader, tables.traces.readers[reader]]).toEqual([reader, byId(expectedTraces)]);
    expect([reader, tables.scores.readers[reader]]).toEqual([reader, byId(expectedScores)]);
  }
  expect(tables.traces.types).toMatchObject({
    trace_id: "string",
    started_at: "timestamp[us, tz=UTC]",
    cost_usd: "double",
    cost_nano_usd: "int64",
    tags: "list<element: string>",
  });
});
