import { expect, test } from "vitest";
import { documentedRoutes, openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { resolve } from "../../../lib/contract/openapi/openapi.ts";
import { routes as allRoutes } from "../../../lib/contract/routes.ts";
import type { JsonSchema } from "../../../lib/contract/schema/json-schema.ts";

const routes = documentedRoutes(allRoutes).filter(({ method }) => method === "GET");
const { components, paths } = openApiDocument(documentedRoutes(allRoutes));

/** Lists that are a bare array always, by operation, with the reason. */
const bareArrays: Readonly<Record<string, string>> = {
  listTraceMetrics: "A published client decodes an array.",
  listSessionMetrics: "A published client decodes an array.",
  listProviders: "A published client decodes an array.",
  getTraceScores: "The scores of one trace: a published client decodes an array.",
  getSessionScores: "The scores of one session: a published client decodes an array.",
  getTraceAnalytics: "Figures by time, at most as many as there are buckets.",
  getSessionAnalytics: "Figures by time, at most as many as there are buckets.",
  getTraceScoreSummary: "Figures by name and group, at most 51 groups.",
  getTraceScoreTrend: "Figures by time, at most as many as there are buckets.",
  getTraceScoreDistribution: "Figures by bucket of values.",
  getSessionScoreSummary: "Figures by name and group, at most 51 groups.",
  getSessionScoreTrend: "Figures by time, at most as many as there are buckets.",
  getSessionScoreDistribution: "Figures by bucket of values.",
  getSessionScoreHistory: "Figures of one session over time; a published client decodes an array.",
  listPlans: "Fixed: the published dashboard decodes an array.",
  listInvoices: "Always empty: the published dashboard decodes an array.",
  listLangsmithSessions: "LangSmith's protocol; one project at most.",
};

/** Lists that are a bare array until `limit`, `offset` or `cursor` is given, which published clients decode. */
const arraysUnlessPaged = new Set([
  "listTraceRunScores",
  "listSessionRunScores",
  "listMyInvitations",
  "listOrganizations",
  "listMembers",
  "listInvitations",
  "listProjects",
  "listApiKeys",
]);

/** Lists with other bounds of `limit` than the contract's general ones. */
const otherLimits: Readonly<Record<string, object>> = {
  // What published clients of this operation expect.
  compareSessionScores: { maximum: 100, default: 20 },
  // A dataset is exported in pages of 5 MB.
  listDatasetItems: { maximum: 10_000 },
  listLabelItems: { maximum: 2_000 },
};

const schemaOf = (schema: JsonSchema): JsonSchema => {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  const named = components.schemas[reference.slice(reference.lastIndexOf("/") + 1)];
  if (named === undefined) throw new Error(`${reference} is not in the document.`);
  return schemaOf(named);
};

const listed = (schema: JsonSchema): readonly JsonSchema[] => {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? (anyOf as readonly JsonSchema[]).flatMap((each) => listed(schemaOf(each))) : [schema];
};

const operations = routes.flatMap((each) => {
  const operation = paths[each.path]?.["get"];
  const response = operation?.responses["200"];
  if (operation === undefined || response === undefined) return [];
  const schema = resolve(components.responses, response).content?.["application/json"]?.schema;
  if (schema === undefined) return [];
  const forms = listed(schemaOf(schema));
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(components.parameters, parameter));
  return [{ id: each.id, forms, parameters }];
});

const isArray = ({ type }: JsonSchema): boolean => type === "array";
const keysOf = ({ properties }: JsonSchema): readonly string[] => Object.keys(Object(properties));

const isPage = (form: JsonSchema): boolean =>
  ["items", "total", "limit", "offset"].every((name) => keysOf(form).includes(name));

test("every list is a page of items, total, limit and offset, but for those that are written down with their reasons", () => {
  const lists = operations.filter(({ forms }) => forms.some((form) => isArray(form) || keysOf(form).includes("items")));
  const idsOf = (those: typeof lists) => those.map(({ id }) => id).toSorted();

  expect(lists.length).toBeGreaterThan(40);
  expect(idsOf(lists.filter(({ forms }) => forms.every(isArray)))).toEqual(Object.keys(bareArrays).toSorted());
  expect(idsOf(lists.filter(({ forms }) => forms.some(isArray) && !forms.every(isArray)))).toEqual(
    [...arraysUnlessPaged].toSorted(),
  );
  expect(idsOf(lists.filter(({ forms }) => !forms.every((form) => isArray(form) || isPage(form))))).toEqual([]);
});

test.each(operations.filter(({ forms }) => forms.some(isPage)))(
  "the list $id has the parameters of the contract",
  ({ id, parameters }) => {
    const isOptional = arraysUnlessPaged.has(id);
    const schemaNamed = (wanted: string) => parameters.find(({ name }) => name === wanted)?.schema;

    expect(schemaNamed("limit")).toMatchObject({
      type: "integer",
      minimum: 1,
      maximum: 200,
      ...(!isOptional && { default: 50 }),
      ...otherLimits[id],
    });
    expect(schemaNamed("offset")).toMatchObject({ type: "integer", minimum: 0, ...(!isOptional && { default: 0 }) });
    expect(schemaNamed("cursor")).toMatchObject({ type: "string" });
  },
);
