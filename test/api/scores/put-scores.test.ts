import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { updateLangsmithFeedback } from "../../../lib/contract/langsmith/feedback.ts";
import { createTraceBatchRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getSessionScores, putSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import {
  createTraceScore,
  getTraceScores,
  listTraceScores,
  putTraceScore,
  updateTraceScore,
} from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { newProject } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const project = newProject(service);

const session_id = randomUUID();
const span_id = randomUUID();
const newTrace = async (): Promise<string> => {
  const { started_at, ...trace } = someTrace({ session_id });
  const body = { ...trace, started_at, spans: [{ span_id, name: "s", started_at }] };
  return (await project.answer(createTrace, { body })).trace_id;
};

const ofTrace = (score_id: string) => project.answer(getTraceScores, { params: { score_id } });

test("a score that is put under an id is created, and replaced by the next one, which repeats without effect", async () => {
  const params = { score_id: randomUUID() };
  const trace_id = await newTrace();
  const first = { trace_id, name: "helpful", value: true, reason: "Good.", metadata: { page: 1 } };
  const second = { ...first, value: false, reason: "Bad.", metadata: { page: 2, by: "me" }, source: "PROGRAMMATIC" };
  const reordered = { ...second, metadata: { by: "me", page: 2 } };
  const put = (body: object) => project.answer(putTraceScore, { params, body });

  const replies = await inTurn([first, first, second, reordered], put);

  const created = { id: params.score_id, trace_id, value: "true", source: "ANNOTATION", original: null };
  const original = { value: "true", reason: "Good.", metadata: { page: 1 }, source: "ANNOTATION" };
  const replaced = {
    value: "false",
    reason: "Bad.",
    metadata: { page: 2, by: "me" },
    source: "PROGRAMMATIC",
    original,
  };
  expect(replies).toMatchObject([created, created, replaced, replaced]);
  expect(replies[3]).toEqual(replies[2]);
  expect(await ofTrace(trace_id)).toEqual([replies[3]]);
});

test("a score that was edited since gets the values that are put again", async () => {
  const params = { score_id: randomUUID() };
  const trace_id = await newTrace();
  const put = () => project.answer(putTraceScore, { params, body: { trace_id, name: "helpful", value: 1 } });

  await put();
  await project.answer(updateTraceScore, { params, body: { value: 0 } });

  expect(await put()).toMatchObject({ value: "1", original: { value: "0" } });
});

test("a score of a session is put as one of a trace", async () => {
  await newTrace();
  const params = { score_id: randomUUID() };
  const put = (value: number) => project.answer(putSessionScore, { params, body: { session_id, name: "good", value } });

  await put(1);
  const replaced = await put(0);

  expect(replaced).toMatchObject({ id: params.score_id, session_id, value: "0", original: { value: "1" } });
  expect(await project.answer(getSessionScores, { params: { score_id: session_id } })).toEqual([replaced]);
});

test("an id of another trace, span, name or evaluation is refused, and its score stays", async () => {
  const [trace_id, other] = [await newTrace(), await newTrace()];
  const body = { trace_id, name: "helpful", value: 1 };
  const { id: score_id } = await project.answer(createTraceScore, { body });
  const run = await project.answer(createTraceBatchRun, {
    body: { metrics: ["task_completion"], trace_ids: [trace_id] },
  });
  await endedRun(project, run);
  const { items } = await project.answer(listTraceScores, { query: { source: "AUTOMATED", trace_id } });
  const judged = items[0]?.id ?? "";
  const before = await ofTrace(trace_id);
  const attempts = [
    [score_id, { ...body, trace_id: other }],
    [score_id, { ...body, span_id }],
    [score_id, { ...body, name: "other" }],
    [judged, { ...body, name: "task_completion" }],
  ] as const;

  const replies = await inTurn(attempts, ([id, each]) =>
    project.call(putTraceScore, { params: { score_id: id }, body: each }),
  );

  expect(replies).toMatchObject(
    attempts.map(() => ({ status: 409, body: { detail: expect.stringContaining("another trace, span or name") } })),
  );
  const feedback = { params: { feedback_id: judged }, body: { score: 0 } };
  expect(await project.call(updateLangsmithFeedback, feedback)).toMatchObject({ status: 404 });
  expect([await ofTrace(trace_id), await ofTrace(other)]).toEqual([before, []]);
});

test("a key that was used for a score of one trace is refused for another trace, and the score stays", async () => {
  const [trace_id, other] = [await newTrace(), await newTrace()];
  const headers = { "Idempotency-Key": randomUUID() };
  const send = (id: string) =>
    project.call(createTraceScore, { body: { trace_id: id, name: "helpful", value: 1 }, headers });

  const replies = [await send(trace_id), await send(other)];

  expect(replies).toMatchObject([{ status: 201 }, { status: 422, error: { code: "idempotency_error" } }]);
  expect([await ofTrace(trace_id), await ofTrace(other)]).toMatchObject([[{ value: "1" }], []]);
});

test("a score cannot be put for a missing trace, without a value or under an id that is no UUID", async () => {
  const body = { trace_id: randomUUID(), name: "helpful", value: 1 };
  const put = (score_id: string, each: object) => project.call(putTraceScore, { params: { score_id }, body: each });

  expect([
    await put(randomUUID(), body),
    await put(randomUUID(), { ...body, value: undefined }),
    await put("mine", body),
  ]).toMatchObject([{ status: 404 }, { status: 422 }, { status: 422 }]);
});
