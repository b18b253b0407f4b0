import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import {
  copyGalleryMetric,
  createCustomMetric,
  getCustomMetric,
  importCustomMetric,
  listGalleryMetrics,
  listCustomMetrics,
  updateCustomMetric,
} from "../../../lib/contract/metrics/custom-metrics.ts";
import { gallery } from "../../../lib/metrics/gallery/gallery.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");

const at = (metric_name: string) => ({ params: { metric_name } });
const dry = { query: { dry_run: "true" } };

test("a metric comes back with a linter's remarks, and is made all the same", async () => {
  const project = newProject(service);
  const body = {
    name: "vague",
    description: "Evaluates something.",
    instructions: "Score from 1 to 10 how good {{output}} is.",
    statements: [{ text: "Is it polite and is it short?" }],
  };

  const made = await project.answer(createCustomMetric, { body });

  expect(made.remarks.map(({ rule, field }) => [rule, field.join(".")])).toEqual(
    expect.arrayContaining([
      ["number_scale", "instructions"],
      ["placeholder", "instructions"],
      ["two_questions", "statements.0.text"],
      ["example", "examples"],
    ]),
  );
  expect(await project.answer(getCustomMetric, at("vague"))).toEqual(made);
});

test("a dry run says what a metric would be, remarks included, and stores nothing however often it is sent", async () => {
  const project = newProject(service);
  const headers = { "Idempotency-Key": randomUUID() };
  const body = someMetric("tried");
  const tryOut = () => project.call(createCustomMetric, { ...dry, body, headers });

  const [first, second] = [await tryOut(), await tryOut()];

  expect(first).toMatchObject({ status: 200, body: { name: "tried", kind: "judge", rubric: { otherwise: "fair" } } });
  expect(second).toMatchObject({ status: 200, body: first.body });
  expect((await project.answer(listCustomMetrics)).total).toBe(0);
  const { definition, rubric, remarks } = await project.answer(createCustomMetric, { body, headers });
  expect(first.body).toMatchObject({ definition, rubric, remarks });
  expect((await tryOut()).status).toBe(409);
  const wrong = { ...body, name: "wrong", scale: [body.scale[0], body.scale[0]] };
  expect((await project.call(createCustomMetric, { ...dry, body: wrong })).status).toBe(422);
});

test("a change that is only tried answers with the version that it would be, and makes none", async () => {
  const project = newProject(service);
  const made = await project.answer(createCustomMetric, { body: someMetric("changing") });

  const tried = await project.answer(updateCustomMetric, { ...at("changing"), ...dry, body: { threshold: 0.9 } });
  const same = await project.answer(updateCustomMetric, {
    ...at("changing"),
    ...dry,
    body: { description: made.description },
  });

  expect(tried).toMatchObject({ version: 2, reference: "changing@2", definition: { threshold: 0.9 } });
  expect(same).toEqual(made);
  expect(await project.answer(getCustomMetric, at("changing"))).toEqual(made);
  expect((await project.call(updateCustomMetric, { ...at("nobody"), ...dry, body: {} })).status).toBe(404);
});

test("every metric of the gallery is listed as it is sent, and copied by one call", async () => {
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
  const again = await project.answer(createCustomMetric, { body: { ...items[0]?.definition, name: "sent_by_hand" } });
  expect(again.definition).toEqual(items[0]?.definition);
  const sessions = await project.answer(listGalleryMetrics, { query: { target_type: "SESSION" } });
  expect(sessions.items.map(({ target_type: type }) => type)).toEqual(sessions.items.map(() => "SESSION"));
});

test("a copy takes another name, a taken one is a conflict, and what the gallery lacks is refused with what it has", async () => {
  const project = newProject(service);
  const copy = (body: object) => project.call(copyGalleryMetric, { body });

  expect(await copy({ metric: "tone", name: "our_tone" })).toMatchObject({ status: 201, body: { name: "our_tone" } });
  expect((await copy({ metric: "tone", name: "our_tone" })).status).toBe(409);
  expect((await copy({ metric: "tone", name: "task_completion" })).status).toBe(422);
  expect(await copy({ metric: "charm" })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "metric"], msg: expect.stringContaining("faithfulness") }] },
  });
  expect((await project.answer(listCustomMetrics)).total).toBe(1);
});

/** As a scorer of another tool is exported: a prompt with placeholders, choices with scores. */
const foreign = {
  name: "Support Quality",
  prompt:
    "You are comparing a reply to a question.\n\n[Question]: {{input}}\n[Reply]: {{output}}\n\n" +
    "(A) The reply solves the problem.\n(B) The reply helps a little.\n(C) The reply does not help.\n\nAnswer with A, B or C.",
  choice_scores: { A: 1, B: 0.5, C: 0 },
};

test("a metric of another tool becomes one of the project's, with notes and remarks, and is tried first", async () => {
  const project = newProject(service);

  const tried = await project.call(importCustomMetric, { ...dry, body: { metric: foreign } });
  expect((await project.answer(listCustomMetrics)).total).toBe(0);
  const made = await project.answer(importCustomMetric, { body: { metric: foreign } });

  expect(tried.status).toBe(200);
  const { definition, notes, remarks } = made;
  expect(tried.body).toMatchObject({ name: "support_quality", definition, notes, remarks });
  expect(made).toMatchObject({ name: "support_quality", version: 1, kind: "judge" });
  expect(definition["scale"]).toMatchObject([
    { label: "A", value: 1, meaning: expect.stringContaining("solves the problem") },
    { label: "B", value: 0.5 },
    { label: "C", value: 0 },
  ]);
  expect(notes.join(" ")).toContain("input");
  expect(JSON.stringify(definition["instructions"])).not.toContain("{{");
  expect(await project.answer(getCustomMetric, at("support_quality"))).toMatchObject({ definition, remarks });
});

test("what cannot be imported is refused in words, and nothing is made", async () => {
  const project = newProject(service);
  const refusals = [
    [{ metric: { name: "x" } }, "There is no prompt in it"],
    [{ metric: { prompt: "Is it good?" } }, "no name"],
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
