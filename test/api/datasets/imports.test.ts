import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createDatasetItems } from "../../../lib/contract/datasets/items.ts";
import { importCustomMetric } from "../../../lib/contract/metrics/metric-sources.ts";
import { itemsOf, newDataset } from "../../support/datasets.ts";
import { problems } from "../../support/reply-shape.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");
const project = newProject(service);

/** An output item as OpenAI's API documents it. */
const outputItem = (number: number, datasource_item: unknown) => ({
  object: "eval.run.output_item",
  id: `outputitem_${number}`,
  created_at: 1743092076,
  run_id: "evalrun_67abd54d60ec8190832b46859da808f7",
  eval_id: "eval_67abd54d9b0081909a86353f6fb9317a",
  status: "pass",
  datasource_item_id: number,
  datasource_item,
  results: [{ name: "String check-a2486074", sample: null, passed: true, score: 1 }],
  sample: {
    input: [{ role: "developer", content: "Categorize a given news headline." }],
    output: [{ role: "assistant", content: "Markets" }],
    finish_reason: "stop",
    model: "gpt-4o-mini",
    usage: { total_tokens: 325, completion_tokens: 2, prompt_tokens: 323, cached_tokens: 0 },
    error: null,
  },
});

const sendLines = (dataset_id: string, items: readonly object[]) =>
  project.call(createDatasetItems, {
    params: { dataset_id },
    headers: { "Content-Type": "application/x-ndjson" },
    bytes: items.map((item) => JSON.stringify(item)).join("\n"),
  });

test("output items of OpenAI's Evals become items with their reference answers, and can be sent again", async () => {
  const dataset = await newDataset(project);
  const lines = [
    outputItem(1, { input: "Stock Markets Rally", ground_truth: "Markets" }),
    outputItem(2, { item: { ticket: "My monitor won't turn on!", correct_label: "Hardware", language: "en" } }),
    outputItem(3, { teacher: "I check for style.", student: "I am a student." }),
    outputItem(4, { input: "no reference" }),
  ];

  const replies = [await sendLines(dataset, lines), await sendLines(dataset, lines)];

  expect(replies[0]).toMatchObject({ status: 201 });
  expect(replies[1]?.body).toEqual(replies[0]?.body);
  const { object: _, id: __, datasource_item: ___, ...rest } = lines[0] ?? {};
  expect(await itemsOf(project, dataset)).toMatchObject([
    {
      external_id: "outputitem_1",
      input: "Stock Markets Rally",
      expected_output: "Markets",
      metadata: { openai_eval: rest },
    },
    { input: { ticket: "My monitor won't turn on!", language: "en" }, expected_output: "Hardware" },
    { input: { teacher: "I check for style.", student: "I am a student." }, expected_output: null },
    { input: "no reference", expected_output: null },
  ]);
});

test("an output item without a data source is named by its line, and nothing is stored", async () => {
  const dataset = await newDataset(project);

  const reply = await sendLines(dataset, [outputItem(1, { input: 1 }), outputItem(2, null), { input: 3 }]);

  expect([reply.status, problems(reply)]).toEqual([422, ["body.line.2"]]);
  expect(await itemsOf(project, dataset)).toEqual([]);
});

const translations = {
  description: "Translations",
  prompts: ["Translate to {{language}}: {{text}}"],
  providers: ["openai:gpt-5-mini"],
  defaultTest: { vars: { tone: "polite" }, metadata: { suite: "a" }, assert: [{ type: "latency", threshold: 5000 }] },
  tests: [
    {
      description: "A greeting",
      vars: { language: "French", text: "Hello world" },
      metadata: { suite: "b" },
      assert: [
        { type: "contains", value: "Bonjour" },
        { type: "equals", value: "Bonjour le monde" },
      ],
    },
    {
      vars: { language: ["German", "Dutch"], text: "Hi", tone: "rude" },
      assert: [{ type: "icontains", value: "{{text}} ({{ language }})" }],
    },
    { vars: { text: "x", expected: { a: [1] } }, assert: [{ type: "equals", value: "{{ expected }}" }] },
    { vars: { text: "y" }, assert: [{ type: "llm-rubric", value: "is a translation of {{text | upper}}" }] },
  ],
  scenarios: [
    {
      config: [{ vars: { language: "Spanish" } }, { vars: { language: "Italian" } }],
      tests: [{ vars: { text: "Bye" } }],
    },
  ],
};

test("each test of a promptfoo configuration becomes an item, and its default assertions a metric", async () => {
  const dataset = await newDataset(project);
  const params = { dataset_id: dataset };

  await project.answer(createDatasetItems, { params, body: { promptfoo: translations } });
  const metric = await project.answer(importCustomMetric, {
    body: { metric: translations, name: `m_${randomUUID().slice(0, 8)}` },
  });

  const [latency] = translations.defaultTest.assert;
  expect(await itemsOf(project, dataset)).toMatchObject([
    {
      input: { language: "French", text: "Hello world", tone: "polite" },
      expected_output: "Bonjour le monde",
      metadata: {
        suite: "b",
        promptfoo: { description: "A greeting", assert: [latency, ...(translations.tests[0]?.assert ?? [])] },
      },
    },
    { input: { language: "German", text: "Hi", tone: "rude" }, expected_output: "Hi (German)" },
    { input: { language: "Dutch", text: "Hi", tone: "rude" }, expected_output: "Hi (Dutch)" },
    { input: { text: "x" }, expected_output: { a: [1] }, metadata: { suite: "a" } },
    {
      input: { text: "y" },
      expected_output: null,
      metadata: { promptfoo: { assert: [latency, { type: "llm-rubric" }] } },
    },
    { input: { language: "Spanish", text: "Bye", tone: "polite" }, expected_output: null },
    { input: { language: "Italian", text: "Bye", tone: "polite" } },
  ]);
  expect(metric).toMatchObject({ kind: "check", notes: [expect.stringContaining("scenarios")] });
});

test("a promptfoo configuration that is sent again changes nothing, and equal tests stay items of their own", async () => {
  const params = { dataset_id: await newDataset(project) };
  const test = { vars: { text: "Hi" }, assert: [{ type: "equals", value: "Hallo" }] };
  const other = { ...test, assert: [{ type: "equals", value: "Salut" }] };
  const send = async (...tests: readonly object[]) =>
    await project.answer(createDatasetItems, { params, body: { promptfoo: { tests } } });

  const first = await send(test, test, other);

  expect(await send(test, test, other)).toEqual(first);
  expect((await send({ ...test, description: "Later" }, other)).items.map(({ id }) => id)).toEqual([
    first.items[0]?.id,
    first.items[2]?.id,
  ]);
  expect(await itemsOf(project, params.dataset_id)).toMatchObject([
    { expected_output: "Hallo", metadata: { promptfoo: { description: "Later" } } },
    { expected_output: "Hallo" },
    { expected_output: "Salut" },
  ]);
});

test("a list of a promptfoo test stays one value without expansion, and answers in sets of assertions are found", async () => {
  const dataset_id = await newDataset(project);
  const vars = { tags: ["a", "b"] };
  const assert = [
    {
      type: "assert-set",
      assert: [
        { type: "contains", value: "no" },
        { type: "equals", value: "yes" },
      ],
    },
  ];
  const promptfoo = {
    defaultTest: { options: { disableVarExpansion: true }, assert: [{ type: "contains", value: "maybe" }] },
    tests: [
      { vars, assert, options: { provider: "x" } },
      { vars, options: { disableVarExpansion: false, disableDefaultAsserts: true } },
    ],
  };

  await project.answer(createDatasetItems, { params: { dataset_id }, body: { promptfoo } });

  expect(await itemsOf(project, dataset_id)).toMatchObject([
    { input: vars, expected_output: "yes", metadata: { promptfoo: { assert: [{ value: "maybe" }, ...assert] } } },
    { input: { tags: "a" }, expected_output: null },
    { input: { tags: "b" } },
  ]);
});

test.each([
  ["tests in a file", { tests: "file://tests.csv" }, ["body.promptfoo.tests"]],
  ["a test in a file", { tests: [{ vars: { a: 1 } }, "file://test.yaml"] }, ["body.promptfoo.tests.1"]],
  [
    "variables in a file",
    { tests: [{ vars: "vars.yaml" }, { vars: { a: "file://a.txt" } }] },
    ["body.promptfoo.tests.0", "body.promptfoo.tests.1"],
  ],
  [
    "default values in a file",
    { defaultTest: "file://default.yaml", tests: [{ vars: {} }] },
    ["body.promptfoo.defaultTest"],
  ],
  [
    "a template that is more than a name",
    { tests: [{ vars: { a: "b" }, assert: [{ type: "equals", value: "{{ a | upper }}" }] }] },
    ["body.promptfoo.tests.0"],
  ],
  [
    "templates in variables",
    {
      tests: [
        { vars: { a: "Hello {{name}}", name: "b" } },
        { vars: { a: ["b", "{% if c %}c{% endif %}"] } },
        { vars: { a: { b: "{{ env.B }}" } } },
        { vars: { a: "b{# c #}" } },
        { vars: { a: { b: "{{ b }}" } } },
      ],
    },
    ["body.promptfoo.tests.0", "body.promptfoo.tests.1", "body.promptfoo.tests.2", "body.promptfoo.tests.3"],
  ],
  [
    "references",
    {
      assertionTemplates: { a: { type: "equals", value: "b" } },
      tests: [
        { vars: {}, assert: [{ $ref: "#/assertionTemplates/a" }] },
        { vars: {}, assert: [{ type: "assert-set", assert: [{ $ref: "#/assertionTemplates/a" }] }] },
      ],
    },
    ["body.promptfoo.tests.0", "body.promptfoo.tests.1"],
  ],
  ["a list without a value", { tests: [{ vars: { a: "b", c: [] } }] }, ["body.promptfoo.tests.0"]],
  [
    "a comment in an answer",
    { tests: [{ vars: { a: "b" }, assert: [{ type: "equals", value: "{{a}} {# c #}" }] }] },
    ["body.promptfoo.tests.0"],
  ],
  [
    "combinations of long texts",
    {
      tests: [
        {
          vars: { a: "a".repeat(100_000), b: Array.from({ length: 10_000 }, (_, at) => at) },
          assert: [{ type: "equals", value: "{{a}}{{b}}" }],
        },
      ],
    },
    ["body.promptfoo.tests.0"],
  ],
  [
    "an unknown variable",
    { tests: [{ vars: { a: "b" }, assert: [{ type: "equals", value: "{{ c }}" }] }] },
    ["body.promptfoo.tests.0"],
  ],
  [
    "too many combinations",
    { tests: [{ vars: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`v${at}`, [1, 2, 3]])) }] },
    ["body.promptfoo.tests.0"],
  ],
  [
    "too many items",
    { tests: Array.from({ length: 11 }, () => ({ vars: { a: Array<number>(1_000).fill(1) } })) },
    ["body.promptfoo.tests.10"],
  ],
  ["no tests", { prompts: ["x"] }, ["body.promptfoo.tests"]],
])("a promptfoo configuration with %s is refused where it cannot be read", async (_, promptfoo, places) => {
  const dataset = await newDataset(project);

  const reply = await project.call(createDatasetItems, { params: { dataset_id: dataset }, body: { promptfoo } });

  expect([reply.status, problems(reply)]).toEqual([422, places]);
  expect(await itemsOf(project, dataset)).toEqual([]);
});

test("a metric that a promptfoo configuration refers to is named", async () => {
  const metric = { assertionTemplates: {}, defaultTest: { assert: [{ $ref: "#/assertionTemplates/a" }] } };

  const reply = await project.call(importCustomMetric, { body: { metric } });

  expect(reply).toMatchObject({ status: 422, text: expect.stringContaining("#/assertionTemplates/a") });
});

test("items and a promptfoo configuration are not sent together", async () => {
  const dataset_id = await newDataset(project);

  for (const body of [{ items: [{ input: 1 }], promptfoo: translations }, {}])
    expect(await project.call(createDatasetItems, { params: { dataset_id }, body })).toMatchObject({ status: 422 });
});
