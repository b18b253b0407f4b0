import { beforeAll, describe, expect, inject, test } from "vitest";
import { getSessionAnalytics } from "../../../lib/contract/sessions/analytics.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));

const trace = (session_id: string | null, started_at: string, ended_at: string | null) => ({
  name: "turn",
  session_id,
  started_at,
  ended_at,
});

const traces = [
  trace("long", "2026-02-28T10:00:00Z", "2026-02-28T10:00:02Z"),
  trace("long", "2026-03-02T10:00:00Z", "2026-03-02T10:00:01Z"),
  trace("long", "2026-02-28T10:30:00Z", null),
  trace("short", "2026-02-28T11:00:00Z", "2026-02-28T11:00:04Z"),
  trace("open", "2026-03-02T12:00:00Z", null),
  trace("backwards", "2026-03-02T13:00:00Z", "2026-03-02T12:00:00Z"),
  trace("", "2026-03-04T00:00:00Z", "2026-03-04T00:00:00.5Z"),
  trace(null, "2026-03-04T10:00:00Z", "2026-03-04T10:00:01Z"),
];

const wholeRange = { started_after: "2026-02-01", started_before: "2026-04-01" };

describe("the analytics of sessions", () => {
  const ask = (query: Readonly<Record<string, string>>) => project.answer(getSessionAnalytics, { query });

  beforeAll(async () => {
    await Promise.all(traces.map((body) => project.answer(createTrace, { body })));
    await eventually(async () => ((await ask(wholeRange)).length === 3 ? true : undefined));
  });

  test("count a session at the start of its first trace", async () => {
    expect(await ask(wholeRange)).toEqual([
      {
        bucket: "2026-02-28T00:00:00.000000+00:00",
        session_count: 2,
        avg_traces_per_session: 2,
        avg_session_duration_ms: 3500,
      },
      {
        bucket: "2026-03-02T00:00:00.000000+00:00",
        session_count: 2,
        avg_traces_per_session: 1,
        avg_session_duration_ms: null,
      },
      {
        bucket: "2026-03-04T00:00:00.000000+00:00",
        session_count: 1,
        avg_traces_per_session: 1,
        avg_session_duration_ms: 500,
      },
    ]);
  });

  test("have intervals of an hour and a week", async () => {
    const [hours, weeks] = [
      await ask({ ...wholeRange, granularity: "hour" }),
      await ask({ ...wholeRange, granularity: "week" }),
    ];

    expect(hours.map(({ bucket, session_count }) => [bucket, session_count])).toEqual([
      ["2026-02-28T10:00:00.000000+00:00", 1],
      ["2026-02-28T11:00:00.000000+00:00", 1],
      ["2026-03-02T12:00:00.000000+00:00", 1],
      ["2026-03-02T13:00:00.000000+00:00", 1],
      ["2026-03-04T00:00:00.000000+00:00", 1],
    ]);
    expect(weeks.map(({ bucket, session_count }) => [bucket, session_count])).toEqual([
      ["2026-02-23T00:00:00.000000+00:00", 2],
      ["2026-03-02T00:00:00.000000+00:00", 3],
    ]);
  });

  test("count only sessions that start in the range", async () => {
    const range = { started_after: "2026-02-28T10:30:00Z", started_before: "2026-03-02T12:00:00Z" };

    expect(await ask(range)).toEqual([
      {
        bucket: "2026-02-28T00:00:00.000000+00:00",
        session_count: 2,
        avg_traces_per_session: 1.5,
        avg_session_duration_ms: 2500,
      },
    ]);
  });

  test.each([
    { started_after: "2030-01-01", started_before: "2031-01-01" },
    { started_after: "2026-04-01", started_before: "2026-02-01" },
  ])("are empty from $started_after to $started_before", async (range) => {
    expect(await ask(range)).toEqual([]);
  });

  test.each([
    [{ ...wholeRange, granularity: "year" }, ["query.granularity"]],
    [{ ...wholeRange, started_before: ["2026-01-01", "2026-01-02"] }, ["query.started_before"]],
  ])("refuse %j", async (query, places) => {
    const reply = await project.call(getSessionAnalytics, { query });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(places);
  });
});
