import { expect, inject, test } from "vitest";
import {
  createCustomMetric,
  deleteCustomMetric,
  getCustomMetric,
  listCustomMetrics,
  updateCustomMetric,
} from "../../../lib/contract/metrics/custom-metrics.ts";
import { reservedMetricNames } from "../../../lib/metrics/reserved-names.ts";
import { inTurn } from "../../support/in-turn.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");

const at = (metric_name: string) => ({ params: { metric_name } });

test("a metric is returned as it was sent with its defaults, and with the rule that decides its level", async () => {
  const project = newProject(service);
  const metric = await project.answer(createCustomMetric, {
    body: {
      name: "on_topic",
      description: "Evaluates whether the agent stays on topic.",
      scale: "yes_no",
      statements: [{ text: "Is the answer about flights?" }, { text: "Is it about politics?", expected: "no" }],
    },
  });

  expect(metric).toMatchObject({
    name: "on_topic",
    target_type: "TRACE",
    kind: "judge",
    version: 1,
    reference: "on_topic@1",
    deleted_at: null,
    definition: { scale: "yes_no", threshold: 0.5, evidence: ["transcript"], examples: [] },
    rubric: {
      levels: [
        { name: "yes", value: 1 },
        { name: "no", value: 0 },
      ],
      statements: [{ name: "statement_1", text: "Is the answer about flights?" }, { name: "statement_2" }],
      rule: [{ level: "yes", answers: { statement_1: "yes", statement_2: "no" }, least: 2 }],
      otherwise: "no",
    },
    reads_as: "1.0 and success: the answer is about flights and it is not about politics; 0.0 and failure: otherwise",
  });
  expect(await project.answer(getCustomMetric, at("on_topic"))).toEqual(metric);
});

test("without statements, the score is that of the highest level whose description is true", async () => {
  const project = newProject(service);
  const { scale, description, instructions } = someMetric("tone");
  const { rubric } = await project.answer(createCustomMetric, {
    body: { name: "tone", description, instructions, scale: scale.toReversed() },
  });

  expect(rubric).toMatchObject({
    levels: [{ name: "good" }, { name: "fair" }, { name: "poor" }],
    rule: [
      { level: "good", answers: { level_3: "yes" } },
      { level: "fair", answers: { level_2: "yes" } },
    ],
    otherwise: "poor",
  });
  expect(rubric?.statements.map(({ name, yes: yesText }) => [name, yesText])).toEqual([
    ["level_3", "the agent declined and said what to do instead"],
    ["level_2", "the agent declined"],
  ]);
});

test("an update creates a new version and keeps the old one, and an update without changes creates none", async () => {
  const project = newProject(service);
  const first = await project.answer(createCustomMetric, { body: someMetric("declines") });
  const second = await project.answer(updateCustomMetric, {
    ...at("declines"),
    body: { threshold: 0.9, rule: null, otherwise: null },
  });
  const same = await project.answer(updateCustomMetric, { ...at("declines"), body: { threshold: 0.9 } });
  const [old, newest] = await inTurn(["declines@1", "declines"], (name) => project.answer(getCustomMetric, at(name)));
  const metrics = await project.page(listCustomMetrics);

  expect([first.version, second.version, same.version]).toEqual([1, 2, 2]);
  expect(old).toMatchObject({
    version: 1,
    reference: "declines@1",
    definition: first.definition,
    rubric: first.rubric,
  });
  expect(newest).toEqual(second);
  expect(second).toMatchObject({ definition: { threshold: 0.9 }, rubric: { rule: [{ least: 3 }, { least: 2 }] } });
  expect(metrics.items).toMatchObject([{ name: "declines", version: 2, versions: [{ version: 1 }, { version: 2 }] }]);
  expect((await project.call(getCustomMetric, at("declines@3"))).status).toBe(404);
});

test("a deleted metric is in no list, cannot be changed, is read by its versions, and a new metric of its name continues its version numbers", async () => {
  const project = newProject(service);
  await project.answer(createCustomMetric, { body: someMetric("gone") });
  await project.answer(deleteCustomMetric, at("gone"));
  const secondDeletion = await project.call(deleteCustomMetric, at("gone"));
  const changed = await project.call(updateCustomMetric, { ...at("gone"), body: { threshold: 1 } });
  const oldVersion = await project.answer(getCustomMetric, at("gone@1"));
  const deleted = await project.call(getCustomMetric, at("gone"));
  const metrics = await project.page(listCustomMetrics);
  const renewed = await project.answer(createCustomMetric, { body: someMetric("gone") });

  expect([secondDeletion.status, changed.status, metrics.total]).toEqual([404, 404, 0]);
  expect(oldVersion.deleted_at).not.toBeNull();
  expect(deleted).toMatchObject({ status: 404, text: expect.stringContaining("gone@1") });
  expect(renewed).toMatchObject({ version: 2, deleted_at: null });
});

test("a name is used once, a repeated request returns its metric, and built-in names are reserved", async () => {
  const project = newProject(service);
  const body = someMetric("mine");
  const headers = { "Idempotency-Key": "one" };
  const first = await project.answer(createCustomMetric, { body, headers });
  await project.answer(updateCustomMetric, { ...at("mine"), body: { threshold: 1 } });
  const repeated = await project.call(createCustomMetric, { body, headers });
  const conflict = await project.call(createCustomMetric, { body });
  const reserved = await inTurn(reservedMetricNames.slice(0, 3), (name) =>
    project.call(createCustomMetric, { body: someMetric(name) }),
  );

  expect([repeated.status, repeated.body]).toEqual([201, first]);
  expect(conflict.status).toBe(409);
  expect(reserved.map(({ status }) => status)).toEqual([422, 422, 422]);
});

test("answers listed by position instead of by name are refused with an explanation", async () => {
  const project = newProject(service);
  const metric = someMetric("by_place");
  const body = { ...metric, rule: [{ level: "poor", answers: ["yes"] }], examples: [{ record: "x", answers: [] }] };

  const { status, body: problem } = await project.call(createCustomMetric, { body });

  expect(status).toBe(422);
  expect(problem).toMatchObject({
    detail: [
      { loc: ["body", "examples", 0, "answers"], msg: "Input should be a valid dictionary" },
      { loc: ["body", "rule", 0, "answers"], msg: "Input should be a valid dictionary" },
    ],
  });
});

test("all errors of a rule are reported at once, and nothing is stored", async () => {
  const project = newProject(service);
  const refusal = await project.call(createCustomMetric, {
    body: {
      ...someMetric("wrong"),
      rule: [{ level: "superb", answers: { declined: "yes", kind: "yes" }, least: 3 }],
      otherwise: "bad",
      examples: [{ record: "A record.", answers: { declined: "yes" } }],
    },
  });

  expect(refusal.status).toBe(422);
  expect((refusal.body as unknown as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join("."))).toEqual([
    "body.rule.0.level",
    "body.rule.0.answers.kind",
    "body.rule.0.least",
    "body.otherwise",
    "body.examples.0.answers",
  ]);
  expect((await project.page(listCustomMetrics)).total).toBe(0);
});

test.each([
  ["of one level", { scale: [{ label: "all", meaning: "all of it", value: 1 }] }],
  ["with two levels of the same label", { scale: [1, 0].map((value) => ({ label: "same", meaning: "it", value })) }],
  ["with a value above 1", { scale: [10, 0].map((value) => ({ label: `${value}`, meaning: "it", value })) }],
  [
    "with two statements of the same name",
    { statements: [1, 2].map(() => ({ name: "a", text: "Is it?" })), rule: null },
  ],
  [
    "with a statement named after an object member of JavaScript",
    { statements: [{ name: "constructor", text: "Is it?" }] },
  ],
  [
    "that is longer than it may be",
    {
      instructions: "é".repeat(8000),
      examples: Array.from({ length: 5 }, () => ({
        record: "é".repeat(2000),
        answers: { declined: "yes", alternative: "yes", rude: "no" },
      })),
    },
  ],
])("a metric %s is refused", async (_, change) => {
  const project = newProject(service);
  const { status } = await project.call(createCustomMetric, { body: { ...someMetric("refused"), ...change } });

  expect(status).toBe(422);
});

const topics = {
  name: "topic",
  description: "Evaluates what the conversation is about.",
  scale_type: "nominal",
  scale: [
    { label: "shipping", meaning: "it is about where an order is" },
    { label: "other", meaning: "it is about something else" },
  ],
} as const;

test("a nominal metric keeps its categories in their order, and reads without values and success", async () => {
  const project = newProject(service);
  const metric = await project.answer(createCustomMetric, { body: topics });
  const ordinal = await project.answer(createCustomMetric, { body: someMetric("declines") });

  expect(metric).toMatchObject({
    definition: { scale_type: "nominal" },
    rubric: {
      levels: [{ name: "shipping" }, { name: "other" }],
      rule: [
        { level: "shipping", answers: { category_1: "yes" } },
        { level: "other", answers: { category_2: "yes" } },
      ],
      otherwise: "other",
    },
    reads_as: "shipping, it is about where an order is; other, it is about something else",
  });
  expect(metric.remarks.map(({ rule }) => rule)).toEqual(["example"]);
  expect(ordinal.definition).toMatchObject({ scale_type: "order" });
});

test.each<[string, object, string]>([
  ["a level of an order has no value", { scale_type: "order" }, "A level of an order needs a value"],
  ["a nominal metric has no categories", { scale: "yes_no" }, "A nominal metric needs its categories"],
  ["its statements have no rule", { statements: [{ text: "Is it about an order?" }] }, "need a rule"],
  [
    "a check has categories",
    { kind: "check", scale: "yes_no", check: { type: "json" } },
    "Only a metric of kind judge",
  ],
])("it is refused with a sentence that %s", async (_, fields, message) => {
  const { status, text } = await newProject(service).call(createCustomMetric, { body: { ...topics, ...fields } });

  expect(status).toBe(422);
  expect(text).toContain(message);
});
