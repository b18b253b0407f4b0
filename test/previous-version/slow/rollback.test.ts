import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/service/local-fixture.ts";
import { caller, type Send } from "../caller.ts";
import { answeredBefore, unpackData } from "../fixture-files.ts";
import { openAsLeft, previousAssembly, todaysAssembly } from "../opened.ts";
import { headersOf, type Place } from "../people.ts";
import type { RecordedReply } from "../recorded-reply.ts";
import { replay } from "../replayed.ts";
import { uuidOf } from "../write-ids.ts";
import { recordReplies } from "../write-replies.ts";
import { fullTrace } from "../write-traces.ts";

const project = "default";
const targets = ["rolled-0", "rolled-1"];
const total = answeredBefore("/traces?limit=200", project).total as number;

const callerIn = (place: Place): Send => caller(place.stack.baseUrl, () => headersOf(place, { as: "key", project }));

const endOf = async (send: Send, id: string) =>
  eventually(async () => {
    const run = await send("GET", `/evaluations/trace-runs/${id}`);
    return run.status === "COMPLETED" || run.status === "FAILED" ? run : undefined;
  });

/** Writes of this version: traces, a late span, a patch, a custom metric, runs, scores, a monitor. */
const write = async (send: Send, now: number): Promise<void> => {
  const traces = targets.map((name) => fullTrace(name, now, { tags: ["rolled"], session_id: "rolled" }));
  await send("POST", "/traces/batch", { traces });
  await send("POST", `/traces/${uuidOf("rolled-0")}/spans`, [
    { name: "late", started_at: new Date(now).toISOString(), metadata: { "otel.prompt_name": "greet" } },
  ]);
  await send("PATCH", `/traces/${uuidOf("rolled-1")}`, { metadata: { patched: true } });
  await send("POST", "/evaluations/metrics", {
    name: "fast",
    kind: "check",
    description: "The trace took at most five seconds.",
    check: { type: "latency_ms", max: 5_000 },
  });
  const body = { metrics: ["tool_correctness", "fast"], filters: { tags: ["rolled"] } };
  await endOf(send, (await send("POST", "/evaluations/trace-runs", body)).id);
  await send("POST", "/evaluations/trace-scores", { trace_id: uuidOf("rolled-0"), name: "stars", value: "4" });
  await send("POST", "/evaluations/monitors", {
    name: "rolled",
    target_type: "TRACE",
    metrics: ["tool_correctness"],
    cadence: "daily",
  });
};

/** Fields of replies that the previous version does not have. */
const newFields = new Set([
  "unreported_usd",
  "paused_reason",
  "reads_as",
  "prompts",
  "has_failed_span",
  "escalated_count",
  "cost_by_metric",
  "first_error",
  "p95_latency_ms",
  "alert_if_stopped",
  "trace_silence",
  "masking",
  "category",
  "external_id",
  "content_version",
  "rule_based_count",
]);

/**
 * Values of fields that the previous version knows elsewhere: scores had a judge, runs and monitors none; a history of sessions' scores did
 * not tell whether they apply, and the original of an edited score had no metadata.
 */
const newValues: Readonly<Record<string, unknown>> = { judge: null, applicable: true, metadata: null };

/** True for a field that the previous version does not know, there or at all. */
const isNew = (key: string, value: unknown): boolean => newFields.has(key) || newValues[key] === value;

/** True for a judge's score that a person has edited: it counts before a later one of the judge, which the previous version shows. */
const isEdited = (value: unknown): boolean =>
  typeof Object(value).eval_run_id === "string" && Object(value).source === "ANNOTATION";

/** Returns replies with the fields that the previous version is to have. */
const withoutNewFields = (replies: readonly RecordedReply[]): readonly RecordedReply[] =>
  JSON.parse(JSON.stringify(replies), (key, value: unknown) =>
    isNew(key, value) ? undefined : isEdited(value) ? {} : value,
  );

describe("data written by this version, after a rollback to the previous version", () => {
  let work: string;
  let place: Place;
  let send: Send;
  let replies: readonly RecordedReply[];

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "assay-rollback-"));
    const directory = join(work, "data");
    unpackData(directory);
    const today = await openAsLeft({ directory, work, assembly: todaysAssembly(), later: 60_000 });
    try {
      const sendToday = callerIn(today);
      await write(sendToday, today.now());
      await eventually(async () => {
        const page = await sendToday("GET", "/traces?limit=1");
        return page.total === total + targets.length || undefined;
      });
      // Statistics and hours follow the tables' streams within seconds, and are not to change between the two versions.
      await wait(6_000);
      const metric = { as: "key", project, path: "/evaluations/metrics/fast", status: 200 };
      replies = [...(await recordReplies(today)), { ...metric, body: await sendToday("GET", metric.path) }];
    } finally {
      await today.stack.close();
    }
    place = await openAsLeft({ directory, work, assembly: previousAssembly(work), later: 120_000 });
    send = callerIn(place);
  });

  afterAll(async () => {
    await place.stack.close();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  });

  test("every read has the same reply", async () => {
    const { requestCount, differences } = await replay(place, withoutNewFields(replies));

    expect(requestCount).toBeGreaterThan(200);
    expect(JSON.stringify(replies)).toContain(uuidOf("rolled-0"));
    expect(differences).toEqual([]);
  });

  test("traces go on, are evaluated and deleted", async () => {
    const trace = uuidOf("rolled-0");
    await send("POST", `/traces/${trace}/spans`, [{ name: "later", started_at: new Date(place.now()).toISOString() }]);
    const { spans } = await send("GET", `/traces/${trace}`);
    const body = { metrics: ["tool_correctness", "fast"], filters: { tags: ["rolled"] } };
    const run = await endOf(send, (await send("POST", "/evaluations/trace-runs", body)).id);
    await send("DELETE", `/traces/${uuidOf("rolled-1")}`);
    const session = await send("GET", "/sessions/rolled");

    expect(spans.map(({ name }: { readonly name: string }) => name)).toEqual(expect.arrayContaining(["late", "later"]));
    expect(run).toMatchObject({ status: "COMPLETED", evaluated_count: targets.length, failed_count: 0 });
    expect(session.trace_count).toBe(1);
  });
});
