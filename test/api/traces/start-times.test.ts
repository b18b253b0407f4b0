import { randomBytes, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createSpans } from "../../../lib/contract/traces/changes.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { jsonExport, jsonSpan, sendJsonExport } from "../../support/otlp/otlp.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");
const project = newProject(service);

const minutesAhead = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const day = 1_440;
const outside = ["1999-12-31T23:59:59.999Z", "0001-01-01", minutesAhead(day + 5), "9999-12-31T23:59:59Z"];
const inside = ["2000-01-01", minutesAhead(0), minutesAhead(day - 5)];

const refusalOf = (started_at: string) => ({
  status: 422,
  body: {
    detail: [
      {
        loc: ["body", "started_at"],
        type: "value_error",
        msg: expect.stringMatching(/^A trace may start/u) as unknown,
      },
    ],
  },
  started_at,
});

test("a trace may start from the year 2000 to a day from now", async () => {
  for (const started_at of inside) await project.answer(createTrace, { body: { name: "inside", started_at } });
  for (const started_at of outside) {
    const { status, body } = await project.call(createTrace, { body: { name: "outside", started_at } });
    expect({ status, body, started_at }).toMatchObject(refusalOf(started_at));
  }
});

test("traces of a batch with other starts are refused, and the others are stored", async () => {
  const traces = [...outside, ...inside].map((started_at) => ({ name: "of a batch", started_at }));

  const { results } = await project.answer(createTraces, { body: { traces } });

  expect(results.map(({ status }) => status)).toEqual([422, 422, 422, 422, 202, 202, 202]);
  expect(results[0]).toMatchObject({ detail: [{ loc: ["body", "started_at"] }] });
});

test("a trace that is sent again with an invalid start is refused", async () => {
  const { trace_id } = await project.answer(createTrace, { body: { name: "again", started_at: "2026-10-01" } });

  const { status } = await project.call(createTrace, { body: { trace_id, name: "again", started_at: "1980-01-01" } });

  expect(status).toBe(422);
  expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject({
    started_at: "2026-10-01T00:00:00.000000+00:00",
  });
});

test("late spans do not move a trace's start", async () => {
  const { trace_id } = await project.answer(createTrace, { body: { name: "late", started_at: "2026-10-01" } });

  await project.answer(createSpans, {
    params: { trace_id },
    body: [{ span_id: randomUUID(), name: "early", started_at: "1990-01-01" }],
  });

  expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject({
    started_at: "2026-10-01T00:00:00.000000+00:00",
  });
});

test("an exporter gets the number of spans that were refused because of their start, and the others are stored", async () => {
  const otherProject = newProject(service);
  const traceId = randomBytes(16).toString("hex");
  const nanos = (at: string): string => `${Date.parse(at)}000000`;
  const span = (at: string) => jsonSpan(traceId, randomBytes(8).toString("hex"), { startTimeUnixNano: nanos(at) });

  const reply = await sendJsonExport(
    service,
    otherProject.headers,
    jsonExport([
      span("1999-12-31T23:59:59Z"),
      span("2000-01-01T00:00:00Z"),
      span(minutesAhead(day + 5)),
      span(minutesAhead(day - 5)),
    ]),
  );

  expect(reply.status).toBe(200);
  expect(JSON.parse(reply.bytes.toString())).toEqual({
    partialSuccess: {
      rejectedSpans: "2",
      errorMessage: expect.stringMatching(/from 2000-01-01T.*ahead of/u) as unknown,
    },
  });
  expect(await otherProject.answer(getTrace, { params: { trace_id: traceUuid(traceId) } })).toMatchObject({
    started_at: "2000-01-01T00:00:00.000000+00:00",
    spans: [{}, {}],
  });
  expect((await otherProject.answer(listTraces)).total).toBe(1);
});
