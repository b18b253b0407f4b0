import { afterAll, beforeAll, expect, test } from "vitest";
import { synthesizeForDevelopment } from "../../../../infra/local/synth.ts";
import { createMonitor, updateMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import type { EvalRun } from "../../../../lib/contract/runs/run.ts";
import { createTraceRun, listTraceRunTargets, retryTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { variables } from "../../../../lib/wiring/environment.ts";
import { type BillingJudge, type ScriptedReply, startBillingJudge } from "../../../support/runs/billing-judge.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { type FakeDecisions, startFakeDecisions } from "../../../support/runs/fake-decisions.ts";
import { addTraces, scoresOf, startRun } from "../../../support/runs/trace-runs.ts";
import { type Client, newProject } from "../../../support/service/client.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";
import { withVariables } from "../../../support/service/with-variables.ts";

/** System One, since OpenAI's decision models share an address with its chat models. */
const first = "systemone/jev";
const to = "openai/gpt-5.4-mini";
const metrics = ["task_completion", "tool_correctness", "confidence"];
const pairsPerSlice = 50;
/** US dollars per million tokens of the chat model, as listed. */
const price = { input: 0.75, cached: 0.075, written: 0.75, output: 4.5 };

let service: RunningService;
let decisions: FakeDecisions;
let chat: BillingJudge;
let chatReply: (call: number) => ScriptedReply;

const answers = (): ScriptedReply => ({ kind: "answer", tokens: 80 });

beforeAll(async () => {
  decisions = await startFakeDecisions();
  chat = await startBillingJudge(price, {
    promptTokens: (text) => Math.ceil(text.length / 4),
    pictureTokens: 0,
    cached: () => 0,
    says: (call) => chatReply(call),
  });
  service = await startService({
    checkGrants: true,
    providers: {
      systemone: { baseUrl: decisions.url },
      openai: { key: "sk-test", baseUrl: chat.url },
    },
    synthesize: async (...request) =>
      withVariables(await synthesizeForDevelopment(...request), () => ({
        [variables.judgePrices]: JSON.stringify({ [first]: { input: 0.1, output: 0 } }),
      })),
  });
});
afterAll(async () => {
  await service.close();
  await decisions.close();
  await chat.close();
});

/** Lets the decision model answer by the number in a trace and by the statement. */
const answerByTrace = (): void =>
  decisions.script((call) => {
    const number = Number(/Order no. (\d+)/u.exec(decisions.calls[call]?.state ?? "")?.[1]);
    return { kind: "answers", of: (_, index) => ((number * 37 + index * 61) % 101) / 100 };
  });

const addOrders = (client: Client, count: number): Promise<string[]> =>
  addTraces(client, count, (number) => ({ input: `Order no. ${number}` }));

const costOf = (scores: Awaited<ReturnType<typeof scoresOf>>): number =>
  scores.reduce((sum, { metadata }) => sum + Number(metadata["charged_usd"] ?? metadata["cost_usd"]), 0);

const keyOf = ({ trace_id, name }: { readonly trace_id: string; readonly name: string }): string =>
  `${trace_id} ${name}`;

const targetsOf = async (client: Client, run: EvalRun): Promise<readonly string[]> => {
  const { items } = await client.answer(listTraceRunTargets, { params: { run_id: run.id }, query: { limit: 100 } });
  return items.map(({ target_id: id }) => id);
};

test.each([0.2, 1])(
  "the least confident pairs of each slice are asked again, a share of %d at most",
  async (atMost) => {
    const client = newProject(service);
    await addOrders(client, 34);
    answerByTrace();
    chatReply = answers;
    const alone = await endedRun(client, await startRun(client, { metrics, model: first }));
    const confidences = new Map(
      (await scoresOf(client, alone)).map((score) => [keyOf(score), Number(score.metadata["confidence"])]),
    );
    const [decisionsBefore, chatBefore] = [decisions.billed(), chat.billed()];

    const judge = { first, escalate: { to, when: { confidence_below: 0.8 }, at_most: atMost } };
    const run = await endedRun(client, await startRun(client, { metrics, judge }));

    const targets = await targetsOf(client, run);
    const targetsPerSlice = Math.ceil(pairsPerSlice / metrics.length);
    const expected = [targets.slice(0, targetsPerSlice), targets.slice(targetsPerSlice)].flatMap((members) => {
      const pairs = members.flatMap((trace_id) => metrics.map((name) => keyOf({ trace_id, name })));
      const uncertain = pairs.filter((key) => (confidences.get(key) ?? 0) < 0.8);
      const ordered = uncertain.toSorted((a, b) => (confidences.get(a) ?? 0) - (confidences.get(b) ?? 0));
      return ordered.slice(0, Math.floor(pairs.length * atMost));
    });
    const scores = await scoresOf(client, run);
    const escalated = scores.filter(({ metadata }) => metadata["first_verdict"] !== undefined);
    expect(new Set(escalated.map(keyOf))).toEqual(new Set(expected));
    expect(run).toMatchObject({
      status: "COMPLETED",
      failed_count: 0,
      model: null,
      judge,
      escalated_count: expected.length,
    });
    expect(scores).toHaveLength(102);
    // The judge of all scores is the cascade; metadata names the model that answered.
    expect(new Set(scores.map(({ name, judge: by }) => `${name} ${by?.id}`)).size).toBe(metrics.length);
    expect(escalated[0]).toMatchObject({
      judge: { id: expect.stringMatching(/^systemone\/jev>openai\/gpt-5\.4-mini#/u) },
      metadata: { model: to, first_verdict: { model: first, confidence: expect.any(Number) } },
    });
    const billed = decisions.billed() - decisionsBefore + chat.billed() - chatBefore;
    expect(costOf(scores)).toBeCloseTo(billed, 9);
    expect(run.judge_usage.cost_usd).toBeCloseTo(billed, 6);
    const parts = metrics.map((metric) => run.cost_by_metric?.[metric] ?? 0);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(billed, 6);
  },
);

test("a pair whose second judge fails for good keeps its first verdict, with the reason and the cost of both", async () => {
  const client = newProject(service);
  await addOrders(client, 2);
  decisions.script(() => ({ kind: "answers", of: () => 0.6 }));
  chatReply = () => ({ kind: "answer", tokens: 20, text: "No JSON." });
  const chatBefore = chat.billed();
  const judge = { first, escalate: { to } };

  const run = await endedRun(client, await startRun(client, { metrics: ["task_completion"], judge }));
  const scores = await scoresOf(client, run);

  expect(run).toMatchObject({ status: "COMPLETED", failed_count: 0, escalated_count: 2 });
  for (const { status, judge: by, metadata } of scores) {
    expect([status, by?.id]).toEqual(["SUCCESS", expect.stringMatching(/^systemone\/jev>openai\/gpt-5\.4-mini#/u)]);
    expect(metadata).toMatchObject({ model: first, escalation: "failed", escalation_code: "judge_malformed" });
  }
  expect(costOf(scores)).toBeCloseTo(decisions.billed() + chat.billed() - chatBefore, 9);
});

test("a pair whose first verdict has no value fails if the second judge does, and can be tried again", async () => {
  const client = newProject(service);
  await addOrders(client, 1);
  decisions.script(() => ({ kind: "answers", of: () => null }));
  chatReply = () => ({ kind: "answer", tokens: 20, text: "No JSON." });

  const run = await endedRun(
    client,
    await startRun(client, { metrics: ["task_completion"], judge: { first, escalate: { to } } }),
  );
  const [score] = await scoresOf(client, run);
  chatReply = answers;
  const ended = await endedRun(client, await client.answer(retryTraceRun, { params: { run_id: run.id } }));

  expect(run).toMatchObject({ status: "FAILED", failed_count: 1, escalated_count: 1 });
  expect(score?.metadata).toMatchObject({ code: "judge_refused", escalation: "failed" });
  expect(ended).toMatchObject({ status: "COMPLETED", failed_count: 0, escalated_count: 1, judge: run.judge });
});

test("a refused pair is asked again, a certain one and one that does not apply are not", async () => {
  const client = newProject(service);
  await addOrders(client, 1);
  chatReply = answers;
  decisions.script(() => ({
    kind: "answers",
    of: ({ name }) => (name === "plan" ? 0.1 : name === "c1_1_delivered" ? null : 0.99),
  }));

  const judge = { first, escalate: { to, when: { confidence_below: 0.5 } } };
  const run = await endedRun(
    client,
    await startRun(client, { metrics: ["task_completion", "confidence", "plan_quality"], judge }),
  );
  const scores = await scoresOf(client, run);

  const escalated = scores.filter(({ metadata }) => metadata["first_verdict"] !== undefined);
  expect(escalated.map(({ name, status, metadata }) => [name, status, metadata["first_verdict"]])).toEqual([
    ["task_completion", "SUCCESS", { value: null, model: first, code: "judge_refused" }],
  ]);
  expect(run).toMatchObject({ failed_count: 0, escalated_count: 1 });
});

test.each([
  ["beside a model", { judge: { first, escalate: { to } }, model: to }, ["body", "judge"]],
  ["with a chat model first", { judge: { first: to, escalate: { to } } }, ["body", "judge", "first"]],
  ["with a decision model again", { judge: { first, escalate: { to: first } } }, ["body", "judge", "escalate", "to"]],
  [
    "with a share of none",
    { judge: { first, escalate: { to, at_most: 0 } } },
    ["body", "judge", "escalate", "at_most"],
  ],
  [
    "with a model that may not be asked",
    { judge: { first, escalate: { to: "openrouter/no/such" } } },
    ["body", "judge", "escalate", "to"],
  ],
  [
    "with an unknown field",
    { judge: { first, escalate: { to, when: { confidence: 1 } } } },
    ["body", "judge", "escalate", "when", "confidence"],
  ],
])("two judges %s are refused with the field's name", async (_, body, loc) => {
  const client = newProject(service);

  const { status, text } = await client.call(createTraceRun, { body: { metrics, ...body } });

  expect([status, (JSON.parse(text) as { detail: { loc: string[] }[] }).detail[0]?.loc]).toEqual([422, loc]);
});

test("a dry run counts the first judge, and the second one for the largest share", async () => {
  const client = newProject(service);
  await addOrders(client, 10);
  const estimate = async (body: object) => {
    const { text } = await client.call(createTraceRun, {
      query: { dry_run: "true" },
      body: { metrics: ["task_completion", "confidence"], ...body },
    });
    return JSON.parse(text) as { judge_calls: number; cost_usd: number; escalation: { cost_usd: number } | null };
  };

  const [single, second] = [await estimate({ model: first }), await estimate({ model: to })];
  const both = await estimate({ judge: { first, escalate: { to, at_most: 0.25 } } });

  expect(single.escalation).toBeNull();
  expect(both).toMatchObject({ judge_calls: 10 + 5, escalation: { pairs: 5, judge_calls: 5 } });
  expect(both.cost_usd).toBeCloseTo(single.cost_usd + second.cost_usd / 4, 8);
});

test("a monitor of traces takes two judges instead of a model", async () => {
  const client = newProject(service);
  const judge = { first, escalate: { to, when: { confidence_below: 0.7, coverage_below: 0.5 }, at_most: 0.1 } };
  const body = { name: "nightly", target_type: "TRACE", metrics: ["confidence"], cadence: "daily", judge };

  const monitor = await client.answer(createMonitor, { body });
  const params = { monitor_id: monitor.id };
  const besideModel = await client.call(updateMonitor, { params, body: { model: to } });
  const changed = await client.answer(updateMonitor, { params, body: { model: to, judge: null } });
  const ofSessions = await client.call(createMonitor, {
    body: { ...body, target_type: "SESSION", metrics: ["agent_reliability"] },
  });

  expect(monitor).toMatchObject({ model: null, judge });
  expect(besideModel.status).toBe(422);
  expect(changed).toMatchObject({ model: to, judge: null });
  expect(ofSessions.status).toBe(422);
});
