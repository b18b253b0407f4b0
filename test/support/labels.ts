import { randomUUID } from "node:crypto";
import { createApiKey } from "../../lib/contract/access/api-keys.ts";
import { createProject } from "../../lib/contract/access/projects.ts";
import { putLabels, takeNextLabelItem } from "../../lib/contract/labels/label-items.ts";
import { createLabelSet } from "../../lib/contract/labels/label-sets.ts";
import { computeTrust } from "../../lib/contract/labels/trust.ts";
import { createTraces } from "../../lib/contract/traces/batch.ts";
import { clientWith, type Client } from "./service/client.ts";
import type { Service } from "./service/service.ts";
import { someTrace } from "./traces/traces.ts";
import type { people } from "./users.ts";

/** Stores that many traces and returns their ids. */
export const storeTraces = async (project: Client, count: number): Promise<readonly string[]> => {
  const traces = Array.from({ length: count }, () => someTrace());
  for (let from = 0; from < count; from += 100)
    await project.answer(createTraces, { body: { traces: traces.slice(from, from + 100) } });
  return traces.map(({ trace_id }) => trace_id);
};

export const scale = { data_type: "NUMERIC", min: 0, max: 1, threshold: 0.5 } as const;

/** Creates a label set of a project's traces that asks for `helpful`. */
export const newLabelSet = (project: Client, fields: object = {}) =>
  project.answer(createLabelSet, {
    body: { name: `set ${randomUUID()}`, metrics: [{ name: "helpful", scale: { data_type: "BOOLEAN" } }], ...fields },
  });

/** Stores a label set with a labelled item and a trust result; returns its ids by the names of path parameters. */
export const storeLabelThings = async (project: Client) => {
  const { id: set_id } = await newLabelSet(project, { trace_ids: await storeTraces(project, 20) });
  const { item } = await project.answer(takeNextLabelItem, { params: { set_id } });
  const label_item_id = item?.id ?? "";
  await project.answer(putLabels, { params: { set_id, item_id: label_item_id }, body: { labels: { helpful: true } } });
  await project.answer(computeTrust, { params: { set_id }, body: { metric: "helpful" } });
  return { set_id, label_item_id };
};

/** Returns clients of one project with a key each: one with full access, and some that may only label. */
export const labellingKeys = async (service: Service, { organization }: ReturnType<typeof people>, count: number) => {
  const { owner, params } = await organization();
  const { id: project_id } = await owner.answer(createProject, { params, body: { name: "labels" } });
  const withKey = async (access: string) => {
    const body = { name: `${access} ${randomUUID()}`, access, project_id };
    const { raw_key } = await owner.answer(createApiKey, { params, body });
    return clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "labels" });
  };
  const labellers: Client[] = [];
  for (let at = 0; at < count; at += 1) labellers.push(await withKey("label"));
  return { full: await withKey("full"), labellers, owner, project_id };
};
