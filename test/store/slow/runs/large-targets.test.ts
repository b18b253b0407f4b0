import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { saveTraces } from "../../../support/traces/save-traces.ts";
import { startDatabase } from "../../../support/database/database.ts";
import { someTrace } from "../../../support/traces/traces.ts";

const script = fileURLToPath(new URL("large-targets.ts", import.meta.url));

/** Heap limit of the process, MB: the judge has 1,024 MB, and close to that limit the garbage collector dominates. */
const heapMegabytes = 800;

/** Resident memory of the process, MB: the heap, and buffers and code outside it. */
const maxMegabytes = 900;

test("a judge with twenty traces of 30 MiB and a session of them stays within its memory", async () => {
  const database = await startDatabase();
  onTestFinished(() => database.close());
  const [project, session] = [randomUUID(), "long"];
  const text = "An agent reads a page, and says what it found there. ".repeat(1_000);
  const spans = Array.from({ length: 600 }, (_, index) => ({
    ...someTrace().spans?.[0],
    span_id: randomUUID(),
    name: `step ${index}`,
    started_at: new Date(Date.parse("2026-11-01T09:00:00Z") + index).toISOString(),
    output: text,
  }));
  const traces = Array.from({ length: 4 }, () => ({ ...someTrace(), session_id: session, spans }));
  await saveTraces(database, project, traces);
  const endpoint = await database.client.config.endpoint?.();
  if (endpoint === undefined) throw new Error("The database has no endpoint.");
  const url = `${endpoint.protocol}//${endpoint.hostname}:${endpoint.port}`;
  const targets = Array.from({ length: 20 }, (_, index) => traces[index % traces.length]?.trace_id ?? "");

  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${heapMegabytes}`,
    script,
    url,
    project,
    session,
    ...targets,
  ]);
  const { callCount, megabytes } = JSON.parse(stdout);

  expect(callCount).toBe(20 + 4 * 4);
  expect(megabytes).toBeLessThan(maxMegabytes);
});
