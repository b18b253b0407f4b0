import { expect, inject, test } from "vitest";
import {
  listLabelItems,
  putLabels,
  takeNextLabelItem,
  uploadLabels,
} from "../../../lib/contract/labels/label-items.ts";
import { closeLabelSet, getLabelSet, listLabelSets } from "../../../lib/contract/labels/label-sets.ts";
import { computeTrust, getTrust } from "../../../lib/contract/labels/trust.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { labellingKeys, newLabelSet, storeTraces } from "../../support/labels.ts";
import type { Client } from "../../support/service/client.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const world = people();

test("a labeller takes and labels items, and reads neither others' labels nor a verdict", async () => {
  const { full, labellers } = await labellingKeys(service, world, 1);
  const [ada] = labellers as [Client];
  const traces = await storeTraces(full, 20);
  for (const trace_id of traces)
    await full.answer(createTraceScore, {
      body: { trace_id, name: "helpful", value: "false", source: "PROGRAMMATIC", reason: "The verdict of a program." },
    });
  const { id: set_id } = await newLabelSet(full);
  const params = { set_id };

  const { text, body } = await ada.call(takeNextLabelItem, { params });
  const item_id = body.item?.id ?? "";
  const labelled = await ada.call(putLabels, { params: { set_id, item_id }, body: { labels: { helpful: "true" } } });

  expect(text).not.toMatch(/verdict|score|"reason":"/u);
  expect(labelled.status).toBe(200);
  expect(await ada.answer(getLabelSet, { params })).toMatchObject({ blind: "enforced", label_count: 1 });
  expect(await ada.page(listLabelSets)).toMatchObject({ total: 1 });
  expect((await full.answer(getLabelSet, { params })).blind).toBe("page");
  const bodies = { items: [{ item_id, labeller: "Ada", labels: { helpful: true } }] };
  const refused = [
    await ada.call(listLabelItems, { params }),
    await ada.call(uploadLabels, { params, body: bodies }),
    await ada.call(computeTrust, { params, body: { metric: "helpful" } }),
    await ada.call(getTrust, { params, query: { metric: "helpful" } }),
    await ada.call(closeLabelSet, { params }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
});
