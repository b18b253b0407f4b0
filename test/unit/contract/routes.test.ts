import { globSync } from "node:fs";
import { expect, test } from "vitest";
import type { Route } from "../../../lib/contract/route.ts";
import { clientLimit } from "../../../lib/contract/limits.ts";
import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { importCustomMetric } from "../../../lib/contract/metrics/metric-sources.ts";
import { putLabels, takeNextLabelItem } from "../../../lib/contract/labels/label-items.ts";
import { routes } from "../../../lib/contract/routes.ts";

const directory = new URL("../../../lib/contract/", import.meta.url);

const isRoute = (value: unknown): value is Route =>
  typeof value === "object" && value !== null && "handler" in value && "grants" in value;

test("the list of all routes has every route that a module of the contract defines", async () => {
  const modules = await Promise.all(
    globSync("{*,*/*}.ts", { cwd: directory }).map(
      (path): Promise<Readonly<Record<string, unknown>>> => import(new URL(path, directory).href),
    ),
  );

  const definedIds = modules.flatMap((module) => Object.values(module).filter(isRoute)).map(({ id }) => id);

  expect(routes.map(({ id }) => id)).toEqual(expect.arrayContaining(definedIds));
});

test("a route whose function may store scores requires write access of an API key, for the request or for its scores, or only labels", () => {
  const storing = routes.filter(({ grants: { scores = [] } }) =>
    ["PutItem", "UpdateItem"].some((action) => [scores].flat().some((each) => each === action)),
  );
  const required = storing.map(({ id, permission, scorePermission = permission }) => [id, scorePermission]);

  expect(storing.length).toBeGreaterThan(10);
  // Labels are no scores until a caller with write access closes their set.
  const labelling = new Set<string>([takeNextLabelItem.id, putLabels.id]);
  expect(required).toEqual(storing.map(({ id }) => [id, labelling.has(id) ? "label" : "write"]));
});

test("an import, which searches a text of another tool, has a lower limit than what the metric editor sends while a user types", () => {
  expect([importCustomMetric, createCustomMetric].map(clientLimit)).toEqual([20, 300]);
});
