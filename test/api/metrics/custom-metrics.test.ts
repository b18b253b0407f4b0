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

test("a metric is what was sent with its defaults, and says by which rule its level follows", async () => {
  const project = newProject(service);
  const made = await project.answer(createCustomMetric, {
    body: {
      name: "on_topic",
      description: "Evaluates whether the agent stays on topic.",
      scale: "yes_no",
      statements: [{ text: "Is the answer about flights?" }, { text: "Is it about politics?", expected: "no" }],
    },
  });

  expect(made).toMatchObject({
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
  });
  expect(await project.answer(getCustomMetric, at("on_topic"))).toEqual(made);
});

test("without statements the highest level that is borne out gives the score", async () => {
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
  expect(rubric?.statements.map(({ name, yes }) => [name, yes])).toEqual([
    ["level_3", "the agent declined and said what to do instead"],
    ["level_2", "the agent declined"],
  ]);
});

test("a change makes a new version, the old one stays as it was, and what changes nothing makes none", async () => {
  const project = newProject(service);
  const first = await project.answer(createCustomMetric, { body: someMetric("declines") });
  const second = await project.answer(updateCustomMetric, {
    ...at("declines"),
    body: { threshold: 0.9, rule: null, otherwise: null },
  });
  const same = await project.answer(updateCustomMetric, { ...at("declines"), body: { threshold: 0.9 } });
  const [old, newest] = await inTurn(["declines@1", "declines"], (name) => project.answer(getCustomMetric, at(name)));
  const listed = await project.page(listCustomMetrics);

  expect([first.version, second.version, same.version]).toEqual([1, 2, 2]);
  expect(old).toMatchObject({
    version: 1,
    reference: "declines@1",
    definition: first.definition,
    rubric: first.rubric,
  });
  expect(newest).toEqual(second);
  expect(second).toMatchObject({ definition: { threshold: 0.9 }, rubric: { rule: [{ least: 3 }, { least: 2 }] } });
  expect(listed.items).toMatchObject([{ name: "declines", version: 2, versions: [{ version: 1 }, { version: 2 }] }]);
  expect((await project.call(getCustomMetric, at("declines@3"))).status).toBe(404);
});

test("a deleted metric is in no list, takes no change, can be read, and one of its name goes on with its numbers", async () => {
  const project = newProject(service);
  await project.answer(createCustomMetric, { body: someMetric("gone") });
  await project.answer(deleteCustomMetric, at("gone"));
  const again = await project.call(deleteCustomMetric, at("gone"));
  const changed = await project.call(updateCustomMetric, { ...at("gone"), body: { threshold: 1 } });
  const left = await project.answer(getCustomMetric, at("gone@1"));
  const listed = await project.page(listCustomMetrics);
  const renewed = await project.answer(createCustomMetric, { body: someMetric("gone") });

  expect([again.status, changed.status, listed.total]).toEqual([404, 404, 0]);
  expect(left.deleted_at).not.toBeNull();
  expect(renewed).toMatchObject({ version: 2, deleted_at: null });
});

test("a name is taken once, a repeated request gets its own metric, and built-in names are reserved", async () => {
  const project = newProject(service);
  const body = someMetric("mine");
  const headers = { "Idempotency-Key": "one" };
  const first = await project.answer(createCustomMetric, { body, headers });
  await project.answer(updateCustomMetric, { ...at("mine"), body: { threshold: 1 } });
  const repeated = await project.call(createCustomMetric, { body, headers });
  const taken = await project.call(createCustomMetric, { body });
  const reserved = await inTurn(reservedMetricNames.slice(0, 3), (name) =>
    project.call(createCustomMetric, { body: someMetric(name) }),
  );

  expect([repeated.status, repeated.body]).toEqual([201, first]);
  expect(taken.status).toBe(409);
  expect(reserved.map(({ status }) => status)).toEqual([422, 422, 422]);
});

test("answers by place in place of name are refused for what they are", async () => {
  const project = newProject(service);
  const metric = someMetric("by_place");
  const body = { ...metric, rule: [{ level: "poor", answers: ["yes"] }], examples: [{ record: "x", answers: [] }] };

  const { status, body: said } = await project.call(createCustomMetric, { body });

  expect(status).toBe(422);
  expect(said).toMatchObject({
    detail: [
      { loc: ["body", "examples", 0, "answers"], msg: "Input should be a valid dictionary" },
      { loc: ["body", "rule", 0, "answers"], msg: "Input should be a valid dictionary" },
    ],
  });
});

test("all that is wrong with a rule is said at once, and nothing is stored", async () => {
  const project = newProject(service);
  const refused = await project.call(createCustomMetric, {
    body: {
      ...someMetric("wrong"),
      rule: [{ level: "superb", answers: { declined: "yes", kind: "yes" }, least: 3 }],
      otherwise: "bad",
      examples: [{ record: "A record.", answers: { declined: "yes" } }],
    },
  });

  expect(refused.status).toBe(422);
  expect((refused.body as unknown as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join("."))).toEqual([
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
  ["with two levels of a label", { scale: [1, 0].map((value) => ({ label: "same", meaning: "it", value })) }],
  ["with a value above 1", { scale: [10, 0].map((value) => ({ label: `${value}`, meaning: "it", value })) }],
  ["with two statements of a name", { statements: [1, 2].map(() => ({ name: "a", text: "Is it?" })), rule: null }],
  ["with a statement that is a word of the language", { statements: [{ name: "constructor", text: "Is it?" }] }],
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
