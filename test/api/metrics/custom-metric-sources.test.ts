import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import {
  createCustomMetric,
  getCustomMetric,
  listCustomMetrics,
  updateCustomMetric,
} from "../../../lib/contract/metrics/custom-metrics.ts";
import {
  copyGalleryMetric,
  importCustomMetric,
  listGalleryMetrics,
} from "../../../lib/contract/metrics/metric-sources.ts";
import { gallery } from "../../../lib/metrics/gallery/gallery.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");

const at = (metric_name: string) => ({ params: { metric_name } });
const dryRun = { query: { dry_run: "true" } };

test("the reply for a new metric has lint warnings, which do not prevent its creation", async () => {
  const project = newProject(service);
  const body = {
    name: "vague",
    description: "Evaluates something.",
    instructions: "Score from 1 to 10 how good {{output}} is.",
    statements: [{ text: "Is it polite and is it short?" }],
  };

  const metric = await project.answer(createCustomMetric, { body });

  expect(metric.remarks.map(({ rule, field }) => [rule, field.join(".")])).toEqual(
    expect.arrayContaining([
      ["number_scale", "instructions"],
      ["placeholder", "instructions"],
      ["two_questions", "statements.0.text"],
      ["example", "examples"],
    ]),
  );
  expect(await project.answer(getCustomMetric, at("vague"))).toEqual(metric);
});

test("a dry run returns the metric with its lint warnings, and stores nothing however often it is sent", async () => {
  const project = newProject(service);
  const headers = { "Idempotency-Key": randomUUID() };
  const body = someMetric("tried");
  const previewCreation = () => project.call(createCustomMetric, { ...dryRun, body, headers });

  const [first, second] = [await previewCreation(), await previewCreation()];

  expect(first).toMatchObject({ status: 200, body: { name: "tried", kind: "judge", rubric: { otherwise: "fair" } } });
  expect(second).toMatchObject({ status: 200, body: first.body });
  expect((await project.answer(listCustomMetrics)).total).toBe(0);
  const { definition, rubric, remarks } = await project.answer(createCustomMetric, { body, headers });
  expect(first.body).toMatchObject({ definition, rubric, remarks });
  expect((await previewCreation()).status).toBe(409);
  const wrong = { ...body, name: "wrong", scale: [body.scale[0], body.scale[0]] };
  expect((await project.call(createCustomMetric, { ...dryRun, body: wrong })).status).toBe(422);
});

test("a dry run of an update returns the version that it would create, and creates none", async () => {
  const project = newProject(service);
  const metric = await project.answer(createCustomMetric, { body: someMetric("changing") });

  const preview = await project.answer(updateCustomMetric, { ...at("changing"), ...dryRun, body: { threshold: 0.9 } });
  const same = await project.answer(updateCustomMetric, {
    ...at("changing"),
    ...dryRun,
    body: { description: metric.description },
  });

  expect(preview).toMatchObject({ version: 2, reference: "changing@2", definition: { threshold: 0.9 } });
  expect(same).toEqual(metric);
  expect(await project.answer(getCustomMetric, at("changing"))).toEqual(metric);
  expect((await project.call(updateCustomMetric, { ...at("nobody"), ...dryRun, body: {} })).status).toBe(404);
});

test("every metric of the gallery is listed in the form of a request, and can be copied by one call", async () => {
  const project = newProject(service);
  const { items, total } = await project.answer(listGalleryMetrics);

  const copies = [];
  for (const { name } of items) copies.push(await project.answer(copyGalleryMetric, { body: { metric: name } }));

  expect([total, items.map(({ name }) => name).toSorted()]).toEqual([
    gallery.length,
    gallery.map(({ name }) => name).toSorted(),
  ]);
  expect(copies.map(({ definition }) => definition)).toEqual(items.map(({ definition }) => definition));
  expect(copies.map(({ kind, version }) => [kind, version])).toEqual(items.map(() => ["judge", 1]));
  const copy = await project.answer(createCustomMetric, { body: { ...items[0]?.definition, name: "sent_by_hand" } });
  expect(copy.definition).toEqual(items[0]?.definition);
  const sessions = await project.answer(listGalleryMetrics, { query: { target_type: "SESSION" } });
  expect(sessions.items.map(({ target_type: type }) => type)).toEqual(sessions.items.map(() => "SESSION"));
});

test("a copy may have another name, a used name is a conflict, and the error about an unknown metric lists the gallery", async () => {
  const project = newProject(service);
  const copy = (body: object) => project.call(copyGalleryMetric, { body });

  expect(await copy({ metric: "tone", name: "our_tone" })).toMatchObject({ status: 201, body: { name: "our_tone" } });
  expect((await copy({ metric: "tone", name: "our_tone" })).status).toBe(409);
  expect((await copy({ metric: "tone", name: "task_completion" })).status).toBe(422);
  expect(await copy({ metric: "charm" })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "metric"], msg: expect.stringContaining("faithfulness") }] },
  });
  expect(await copy({ name: "charm" })).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "metric"] }] } });
  expect(await copy({})).toMatchObject({ status: 422, body: { detail: [{ type: "missing" }] } });
  expect((await project.answer(listCustomMetrics)).total).toBe(1);
  expect(await copy({ name: "toxicity" })).toMatchObject({ status: 201, body: { name: "toxicity" } });
});

/** A scorer as another tool exports it: a prompt with placeholders, and choices with scores. */
const foreign = {
  name: "Support Quality",
  prompt:
    "You are comparing a reply to a question.\n\n[Question]: {{input}}\n[Reply]: {{output}}\n\n" +
    "(A) The reply solves the problem.\n(B) The reply helps a little.\n(C) The reply does not help.\n\nAnswer with A, B or C.",
  choice_scores: { A: 1, B: 0.5, C: 0 },
};

test("a metric of another tool is imported with notes and lint warnings, after a dry run", async () => {
  const project = newProject(service);

  const preview = await project.call(importCustomMetric, { ...dryRun, body: { metric: foreign } });
  expect((await project.answer(listCustomMetrics)).total).toBe(0);
  const metric = await project.answer(importCustomMetric, { body: { metric: foreign } });

  expect(preview.status).toBe(200);
  const { definition, notes, remarks } = metric;
  expect(preview.body).toMatchObject({ name: "support_quality", definition, notes, remarks });
  expect(metric).toMatchObject({ name: "support_quality", version: 1, kind: "judge" });
  expect(metric.reads_as).toMatch(/^1\.0 and success: A, The reply solves the problem/u);
  expect(preview.body).toMatchObject({ reads_as: metric.reads_as });
  expect(definition["scale"]).toMatchObject([
    { label: "A", value: 1, meaning: expect.stringContaining("solves the problem") },
    { label: "B", value: 0.5 },
    { label: "C", value: 0 },
  ]);
  expect(notes.join(" ")).toContain("input");
  expect(JSON.stringify(definition["instructions"])).not.toContain("{{");
  expect(await project.answer(getCustomMetric, at("support_quality"))).toMatchObject({ definition, remarks });
});

test("an assertion of another tool is imported as a check, and a list of criteria as statements", async () => {
  const project = newProject(service);
  const criteria = ["Is polite", "Is short"].map((value) => ({ type: "llm-rubric", value, threshold: 0.9 }));

  const check = await project.answer(importCustomMetric, {
    body: { metric: { type: "not-contains", value: "sorry" } },
  });
  const judge = await project.answer(importCustomMetric, { body: { metric: { assert: criteria }, name: "manners" } });

  const condition = { not: { type: "contains", text: "sorry" } };
  expect(check).toMatchObject({ name: "not_contains", kind: "check", definition: { check: condition }, notes: [] });
  expect(judge).toMatchObject({ name: "manners", kind: "judge", definition: { statements: [{}, {}] } });
  expect(judge.notes.join(" ")).toContain("The thresholds within the list do not apply");
});

test("a metric that cannot be imported is refused with an explanation, and nothing is created", async () => {
  const project = newProject(service);
  const refusals = [
    [{ metric: { name: "x" } }, "The export has no prompt"],
    [{ metric: { prompt: "Is it good?" } }, "no name"],
    [{ metric: { type: "javascript", value: "output.length < 9" } }, '"javascript" cannot be imported: it is code'],
    [{ metric: { ...foreign, choice_scores: { A: 1 } } }, "a scale has two to 7 levels"],
    [{ metric: foreign, name: "coherence" }, "reserved"],
  ] as const;

  for (const [body, words] of refusals) {
    expect(await project.call(importCustomMetric, { body })).toMatchObject({
      status: 422,
      body: { detail: [{ msg: expect.stringContaining(words) }] },
    });
  }
  expect((await project.answer(listCustomMetrics)).total).toBe(0);
});
