import { setTimeout as wait } from "node:timers/promises";
import { completionAnswer, completionAnswers, type FakeJudge, reply, says } from "../support/runs/fake-judge.ts";
import type { Send } from "./caller.ts";
import { uuidOf } from "./write-ids.ts";

/** A model with a known price, served by the fake provider. */
const pricedModel = "openai/gpt-5.4-mini";

const endStates = new Set(["COMPLETED", "FAILED"]);

/** Waits for the end of a run. */
const endOf = async (send: Send, kind: "trace" | "session", { id }: { readonly id: string }): Promise<void> => {
  for (let poll = 0; poll < 400; poll += 1) {
    const { status } = await send("GET", `/evaluations/${kind}-runs/${id}`);
    if (endStates.has(status)) return;
    await wait(100);
  }
  throw new Error(`The run ${id} does not end.`);
};

/** Starts a run and waits for its end. @returns its id. */
const evaluate = async (send: Send, path: string, body: object): Promise<string> => {
  const run = await send("POST", `/evaluations/${path}`, body);
  await endOf(send, path.startsWith("session") ? "session" : "trace", run);
  return run.id;
};

/** Writes runs of every kind and outcome. */
export const writeRuns = async (send: Send, judge: FakeJudge): Promise<void> => {
  const metrics = ["task_completion", "tool_correctness"];
  const trace_ids = ["whole", "pieces", "nowhere"].map(uuidOf);
  await evaluate(send, "trace-runs", {
    name: "filtered",
    metrics,
    filters: { tags: ["checkout"], status: "COMPLETED" },
  });
  await evaluate(send, "trace-runs", {
    name: "sampled",
    metrics: ["confidence", "loop_detection"].slice(0, 1),
    sampling_rate: 0.5,
  });
  await evaluate(send, "trace-runs/batch", { name: "listed", trace_ids, metrics });
  await evaluate(send, "trace-runs", { name: "nothing", metrics, filters: { user_id: "nobody" } });
  await evaluate(send, "trace-runs", { name: "no key", metrics, model: "anthropic/claude-sonnet-4-5" });
  await evaluate(send, "session-runs", {
    name: "sessions",
    metrics: ["agent_reliability", "agent_consistency"],
    filters: { min_trace_count: 2 },
    signal_weights: { confidence: 2, coherence: 0.5 },
  });
  await evaluate(send, "session-runs/batch", { session_ids: ["chat-7", "nowhere"], metrics: ["agent_reliability"] });

  // Some judgements fail permanently; a retry run of the failed ones repeats them. Money is reserved and booked.
  judge.script(says(completionAnswer()), says("no verdict"), says("no verdict"), says(completionAnswer()));
  const paid = { metrics: ["task_completion", "step_efficiency"], model: pricedModel, max_cost_usd: 0.5 };
  const failed = await evaluate(send, "trace-runs/batch", { ...paid, name: "paid", trace_ids: trace_ids.slice(0, 2) });
  judge.script(says(completionAnswer({ statements: completionAnswers("fully") })));
  const retried = await send("POST", `/evaluations/trace-runs/${failed}/retry`);
  await endOf(send, "trace", retried);

  for (const keep of [true, false]) {
    const run = await evaluate(send, "trace-runs/batch", { name: "deleted", metrics, trace_ids: [uuidOf("whole")] });
    await send("DELETE", `/evaluations/trace-runs/${run}?delete_scores=${String(!keep)}`);
  }
};

/**
 * Starts a run of traces tagged `unjudged` whose provider becomes unavailable midway: some are judged, the rest wait.
 */
export const writeWaitingRun = async (send: Send, judge: FakeJudge): Promise<void> => {
  judge.script(says(completionAnswer()), says(completionAnswer()), reply(503, { error: { message: "away" } }));
  const body = { name: "waiting", metrics: ["task_completion"], model: pricedModel, max_cost_usd: 0.5 };
  const run = await send("POST", "/evaluations/trace-runs", { ...body, filters: { tags: ["unjudged"] } });
  for (let poll = 0; poll < 400; poll += 1) {
    const { waiting_for, evaluated_count, total_traces } = await send("GET", `/evaluations/trace-runs/${run.id}`);
    if (waiting_for !== null && evaluated_count > 0 && evaluated_count < total_traces) return;
    await wait(100);
  }
  throw new Error("The run does not wait.");
};

/** Writes scores by users and programs, of every data type, edited and deleted. */
export const writeScores = async (send: Send, person: Send): Promise<void> => {
  const [wholeTrace, pieces] = [uuidOf("whole"), uuidOf("pieces")];
  const onTrace = (caller: Send, body: object) =>
    caller("POST", "/evaluations/trace-scores", { trace_id: wholeTrace, ...body });
  const onSession = (body: object) => send("POST", "/evaluations/session-scores", { session_id: "chat-7", ...body });
  await onTrace(send, { name: "helpful", value: "0.75", reason: "The customer said so.", metadata: { by: "survey" } });
  await onTrace(person, { name: "helpful", value: "1", trace_id: pieces });
  await onTrace(send, { name: "polite", value: "TRUE", data_type: "BOOLEAN", source: "PROGRAMMATIC" });
  await onTrace(send, { name: "language", value: "Grüße", data_type: "CATEGORICAL" });
  const edited = await onTrace(send, { name: "edited", value: "0.1" });
  await person("PATCH", `/evaluations/trace-scores/${edited.id}`, { value: "-12.5", metadata: { edited: true } });
  const deleted = await onTrace(send, { name: "deleted", value: "1" });
  await send("DELETE", `/evaluations/trace-scores/${deleted.id}`);

  const session = await onSession({ name: "solved", value: "0.5" });
  await send("PATCH", `/evaluations/session-scores/${session.id}`, { value: "0.625", reason: "Seen again." });
  await onSession({ name: "mood", value: "calm", data_type: "CATEGORICAL", source: "PROGRAMMATIC" });
  const deletedScore = await onSession({ name: "solved", value: "0.25" });
  await send("DELETE", `/evaluations/session-scores/${deletedScore.id}`);

  // A judge's score edited by a user.
  const { items } = await send("GET", "/evaluations/trace-scores?source=AUTOMATED&status=SUCCESS&limit=1");
  await person("PATCH", `/evaluations/trace-scores/${items[0].id}`, { value: "0.33", reason: "Too kind." });
};

/** Writes monitors of every kind. @returns the id of the daily one. */
export const writeMonitors = async (send: Send): Promise<string> => {
  const create = (body: object) =>
    send("POST", "/evaluations/monitors", {
      target_type: "TRACE",
      metrics: ["task_completion"],
      cadence: "daily",
      ...body,
    });
  const daily = await create({ name: "daily", filters: { tags: ["checkout"] }, max_cost_usd: 2.5 });
  await create({
    name: "sessions",
    target_type: "SESSION",
    metrics: ["agent_reliability"],
    filters: { min_trace_count: 2, has_error: true },
    cadence: "weekly",
    signal_weights: { confidence: 1 },
    only_if_changed: false,
    scope: "changed",
    sampling_rate: 0.25,
    model: "openai/gpt-5.4-mini",
  });
  await create({ name: "either day", cadence: "cron:0 3 1 * mon" });
  const paused = await create({ name: "paused", cadence: "every_6h" });
  await send("POST", `/evaluations/monitors/${paused.id}/pause`);
  const changed = await create({ name: "changed" });
  await send("PATCH", `/evaluations/monitors/${changed.id}`, {
    cadence: "cron:30 4 * * *",
    filters: { name: "whole" },
  });
  await send("POST", `/evaluations/monitors/${changed.id}/trigger`);
  const deleted = await create({ name: "deleted" });
  await send("DELETE", `/evaluations/monitors/${deleted.id}`);
  return daily.id;
};
