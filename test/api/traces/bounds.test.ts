import * as v from "valibot";
import { describe, expect, inject, test } from "vitest";
import { createSessionScore, listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { getSession, listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createSpans, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createTrace, getTrace, listTraces, listUsers } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { problems } from "../../support/reply-shape.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");
const started_at = "2026-10-01T10:00:00.000000+00:00";

const problemSchema = v.object({
  detail: v.array(v.object({ loc: v.array(v.union([v.string(), v.number()])), type: v.string() })),
});

const typesIn = (body: unknown): readonly (readonly [string, string])[] =>
  v.parse(problemSchema, body).detail.map(({ loc, type }) => [loc.slice(1).join("."), type]);

/** Characters that have four bytes and two UTF-16 code units each. */
const rockets = (characters: number): string => "🚀".repeat(characters);

describe("length limits", () => {
  test("count code points and include the maximum", async () => {
    const project = newProject(service);
    const labels = {
      session_id: rockets(255),
      user_id: rockets(255),
      environment: rockets(255),
      release: rockets(255),
    };
    const spans = [{ name: rockets(512), model: rockets(255), started_at }];
    const body = { name: rockets(512), started_at, ...labels, tags: [rockets(255)], spans };

    const { trace_id } = await project.answer(createTrace, { body });
    const scoreBody = { session_id: labels.session_id, name: rockets(1024), value: "0.5", data_type: "NUMERIC" };
    await project.answer(createSessionScore, { body: scoreBody });
    const trace = await project.answer(getTrace, { params: { trace_id } });
    const session = await project.answer(getSession, { params: { session_id: labels.session_id } });
    const filtered = await project.answer(listTraces, { query: { session_id: labels.session_id } });
    const scores = await project.answer(listSessionScores, { query: { session_id: labels.session_id } });

    expect(trace).toMatchObject(body);
    expect(session.traces.map((each) => each.trace_id)).toEqual([trace_id]);
    expect([filtered.total, scores.items.map(({ name }) => name)]).toEqual([1, [scoreBody.name]]);
  });

  test("refuse longer texts, with an error for each field", async () => {
    const project = newProject(service);
    const body = { name: rockets(513), started_at, session_id: rockets(256), tags: [rockets(256)] };

    const reply = await project.call(createTrace, { body });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["body.name", "body.session_id", "body.tags.0"]);
  });
});

describe("token counts", () => {
  const maxTokens = Number.MAX_SAFE_INTEGER;
  const span = (token_usage: object) => ({ name: "call", kind: "LLM", started_at, token_usage });

  test("are accepted up to the maximum safe integer, with fractions rounded", async () => {
    const project = newProject(service);
    const usages = [
      { prompt_tokens: maxTokens },
      { prompt_tokens: 1, completion_tokens: maxTokens - 1 },
      { prompt_tokens: 0.4 },
    ];

    const ids = await inTurn(
      usages,
      async (usage) =>
        (await project.answer(createTrace, { body: { name: "x", started_at, spans: [span(usage)] } })).trace_id,
    );
    const { items } = await project.answer(listTraces);

    expect(new Map(items.map((item) => [item.trace_id, item.total_tokens]))).toEqual(
      new Map(ids.map((id, index) => [id, index === 2 ? 0 : maxTokens])),
    );
  });

  test("of several traces add up to at most the maximum safe integer", async () => {
    const project = newProject(service);
    const body = { session_id: "s", user_id: "u", started_at };
    for (const name of ["a", "b", "c"])
      await project.answer(createTrace, {
        body: { ...body, name, spans: [{ ...span({ prompt_tokens: maxTokens }), model: "m" }] },
      });
    const range = { started_after: started_at, started_before: "2026-12-31", user_id: "u" };
    const sums = [
      (await project.answer(listSessions)).items,
      [await project.answer(getSession, { params: { session_id: "s" } })],
      (await project.answer(listUsers)).items,
      await project.answer(getTraceAnalytics, { query: { ...range, metric: "tokens" } }),
      await project.answer(getTraceAnalytics, { query: { ...range, metric: "models" } }),
    ];

    expect(sums).toMatchObject(sums.map(() => [{ total_tokens: maxTokens }]));
  });

  test("beyond the maximum are refused, single or as the sum of a trace, and change nothing", async () => {
    const project = newProject(service);
    const { trace_id } = await project.answer(createTrace, {
      body: { name: "x", started_at, spans: [span({ prompt_tokens: maxTokens })] },
    });
    const wrong = [maxTokens + 1, 1e300, -1, -0.6, "5", true].map((prompt_tokens) => ({ prompt_tokens }));
    const replies = await inTurn(wrong, (usage) =>
      project.call(createTrace, { body: { name: "x", started_at, spans: [span(usage)] } }),
    );
    const sums = [
      await project.call(createTrace, {
        body: { name: "x", started_at, spans: [span({ prompt_tokens: maxTokens }), span({ completion_tokens: 1 })] },
      }),
      await project.call(createSpans, { params: { trace_id }, body: [span({ prompt_tokens: 1 })] }),
    ];
    const batch = await project.answer(createTraces, {
      body: {
        traces: [{ name: "x", started_at, spans: [span({ prompt_tokens: maxTokens }), span({ prompt_tokens: 1 })] }],
      },
    });
    const renameReply = await project.call(updateTrace, { params: { trace_id }, body: { name: "renamed" } });
    const trace = await project.answer(getTrace, { params: { trace_id } });

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(
      wrong.map(() => [422, ["body.spans.0.token_usage.prompt_tokens"]]),
    );
    expect(replies.map(({ body }) => body)).toMatchObject([
      { detail: [{ type: "less_than_equal" }] },
      { detail: [{ type: "less_than_equal" }] },
      { detail: [{ type: "greater_than_equal" }] },
      { detail: [{ type: "greater_than_equal" }] },
      { detail: [{ type: "float_type" }] },
      { detail: [{ type: "float_type" }] },
    ]);
    expect(sums.map(({ status, body }) => [status, body])).toMatchObject(
      sums.map(() => [422, { detail: [{ loc: ["body", "spans"], type: "too_many_tokens" }] }]),
    );
    expect(batch.results).toMatchObject([{ status: 422 }]);
    expect([renameReply.status, trace.spans.length, trace.name]).toEqual([200, 1, "renamed"]);
  });
});

describe("validation errors", () => {
  test("have a documented type for every kind of error", async () => {
    const project = newProject(service);
    const body = {
      trace_id: "no id",
      name: "",
      status: "DONE",
      metadata: [],
      started_at: "yesterday",
      session_id: 7,
      tags: {},
      spans: [{ name: "x", started_at, cost: { total: "much" } }, 5],
    };

    const reply = await project.call(createTrace, { body: { ...body, user_id: rockets(256) } });
    const unknown = await project.call(createTrace, { bytes: "{" });
    const query = await project.call(listTraces, { query: { limit: "0", offset: "x", status: "?" } });

    expect([reply, unknown, query].flatMap((each) => typesIn(each.body))).toEqual([
      ["trace_id", "uuid_parsing"],
      ["name", "string_too_short"],
      ["status", "enum"],
      ["metadata", "dict_type"],
      ["started_at", "datetime_parsing"],
      ["session_id", "string_type"],
      ["user_id", "string_too_long"],
      ["tags", "list_type"],
      ["spans.0.cost.total", "float_type"],
      ["spans.1", "dict_type"],
      ["1", "json_invalid"],
      ["limit", "greater_than_equal"],
      ["offset", "int_parsing"],
      ["status", "enum"],
    ]);
  });
});
