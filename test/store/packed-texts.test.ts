import { expect, test } from "vitest";
import { unpackRun } from "../../lib/store/runs/codec.ts";
import { unpackScore } from "../../lib/store/scores/codec.ts";

/** A judge's score and a run's order as they are stored, deflated with their dictionaries. They must stay readable. */
const score =
  "B6XWu05DMQyA4VdBhwWkOrKd2En6EExsiMEnFzaQWBgQ747oTT00UFTWJFOST/4fJqmM2lIBrJkg9dIhSanAlZsGz3O0Mq0m8uTNagTkUiF0I5ibCrQq2XyOucTNMUqZNCeQZgohVgSjjmCWjVDJdy7/kn+3H1xX6AK5q5vd0Hl7fXl++hm8Rnc7rd4HrrcrA9xzyXOTpIYlDKGrSLrY+oL2gjLzOcwcmPJI9G7jV9Z7osf3dsJVNcqIrGdNA7aHukCXaREXX490GhfoVI7aAl1I+7RA5/3HHwWPuBpWamThArZdfKOIAlJ7gWCBIaWAgCFRDbNloX6eLsd75DX5tURHmY8T8vyRLfVvn/MaPfniOahu8CzoP57wXmbsQfon";
const order = "B6uGZeo8kIU5kNROWkBizw2IsMWX/2sxk6GR6aANeiM9U8Ihb2QeYmBkZWhsZWquZ2hpRCD8AQ==";

test("a score that was packed with the dictionary is read", () => {
  expect(unpackScore(Buffer.from(score, "base64"))).toMatchObject({
    id: "5d206e8c-0d91-8fcf-85cd-2d2e6432b7ac",
    trace_id: "1313aad7-02cd-4fa1-be65-ed59a3979c7c",
    name: "tool_correctness",
    value: "0.25",
    reason: "Necessary 0.41. (mostly_wrong, with a probability of 0.67.)",
    metadata: {
      model: "systemone/model",
      coverage: { shown_characters: 24_219, total_characters: 24_219, ratio: 1 },
      probabilities: { serving: 0.91, necessary: 0.41, mostly_fitting: 0.65, helpful: 0.48, lean: 0.33 },
      shared_call: { id: "a0d1e1a4", questions: 5 },
      success: false,
    },
    judge: { id: "systemone/model#0313c324662c" },
    evidence: [],
    trace_version: 1,
  });
});

test("a run whose order was packed with the dictionary is read", () => {
  const counts = { slices: 1, slices_left: 1, evaluated: 0, failed: 0, scored: 0, missing: 0, lost: 0 };
  const item = {
    pk: "11891698-5ea6-47d0-a1f0-aa9a10613f2c#run#5d206e8c-0d91-8fcf-85cd-2d2e6432b7ac",
    status: "PENDING",
    attempt: "first",
    ...counts,
    used: [0, 0, 0, 0, null],
  };

  expect(unpackRun({ ...item, d: Buffer.from(order, "base64") }).run.order).toEqual({
    id: "5d206e8c-0d91-8fcf-85cd-2d2e6432b7ac",
    projectId: "11891698-5ea6-47d0-a1f0-aa9a10613f2c",
    name: "nightly",
    targetType: "TRACE",
    metrics: ["task_completion", "tool_correctness"],
    filters: { environment: ["production"] },
    samplingRate: 0.25,
    model: null,
    resolvedModel: "openai/gpt-6-luna",
    tier: "standard",
    monitorId: null,
    retryOf: null,
    sequential: false,
    signalWeights: null,
    maxCostUsd: 2.5,
    total: 100,
    createdAt: "2026-11-27T02:13:57.192000+00:00",
    emptyMessage: null,
  });
});
