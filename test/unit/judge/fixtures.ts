import type { Span, Trace } from "../../../lib/domain/traces/trace.ts";
import { createJudge, type JudgeDependencies } from "../../../lib/judge/create-judge.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import type { FakeJudge } from "../../support/runs/fake-judge.ts";

/** The API key of these tests, which must not appear in any output. */
export const secret = "sk-test-0123456789abcdefSECRET";

/** A span; spans with ascending ids have ascending start times. */
export const span = (id: string, fields: Partial<Span> = {}): Span => ({
  span_id: id,
  parent_span_id: null,
  name: id,
  kind: "OTHER",
  status: "OK",
  input: null,
  output: null,
  model: null,
  token_usage: null,
  metadata: {},
  started_at: "2026-03-01T10:00:00+00:00",
  ended_at: "2026-03-01T10:00:01+00:00",
  error: null,
  completion_start_time: null,
  model_parameters: null,
  cost: null,
  ...fields,
});

/** A small completed trace. */
export const trace = (fields: Partial<Trace> = {}): Trace => ({
  trace_id: "5d6f1a6e-0000-4000-8000-000000000001",
  name: "support-agent",
  status: "COMPLETED",
  input: { messages: [{ role: "user", content: "Where is order ORD-1?" }] },
  output: { messages: [{ role: "assistant", content: "It was shipped on Monday." }] },
  metadata: {},
  started_at: "2026-03-01T10:00:00+00:00",
  ended_at: "2026-03-01T10:00:02+00:00",
  session_id: null,
  user_id: "user-77",
  tags: [],
  environment: null,
  release: null,
  spans: [
    span("a", { kind: "AGENT", input: { query: "Where is order ORD-1?" } }),
    span("b", {
      kind: "TOOL",
      name: "get_order",
      parent_span_id: "a",
      input: { id: "ORD-1" },
      output: { status: "shipped" },
    }),
  ],
  ...fields,
});

/** A judge that calls the fake provider, with a clock that sleeping advances beside real time, so that waits cost nothing. */
export const judgeOf = (fake: Pick<FakeJudge, "url">, dependencies: Partial<JudgeDependencies> = {}) => {
  const slept: number[] = [];
  let ahead = 0;
  const judge: Judge = createJudge({
    metrics: traceMetrics,
    providers: { openai: { key: "/assay/test/judge/openai/key", baseUrl: "/assay/test/judge/openai/base-url" } },
    parameter: async (name) => (name.endsWith("/key") ? secret : fake.url),
    ...dependencies,
    timing: {
      now: () => Date.now() + ahead,
      random: () => 0.5,
      // More than a busy machine needs.
      maxCallTime: 30_000,
      sleep: async (milliseconds, signal) => {
        // A wait with a signal guards the deadline: it ends by the signal only.
        if (signal !== undefined) {
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
          return;
        }
        slept.push(milliseconds);
        ahead += milliseconds;
      },
      ...dependencies.timing,
    },
  });
  const request = { runId: "run-1", projectId: "project-1", trace: trace(), traceVersion: 3, model: "openai/judge" };
  const deadline = (): number => Date.now() + ahead + 60_000;
  return {
    judge,
    slept,
    request,
    deadline,
    score: (metric = "task_completion") => judge.target(request).score(metric, deadline()),
  };
};
