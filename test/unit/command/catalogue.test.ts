import { expect, test } from "vitest";
import { catalogueOf } from "../../../infra/package/client/catalogue.ts";
import { operations } from "../../../lib/client/operations.ts";
import { queryFlags } from "../../../lib/command/api.ts";
import { findOperation } from "../../../lib/command/catalogue.ts";
import { commonFlags } from "../../../lib/command/flags.ts";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { routes } from "../../../lib/contract/routes.ts";

const catalogue = catalogueOf(openApiDocument(routes));

test("each operation of the client is a command with a name of its own, and is found by its id too", () => {
  const names = catalogue.operations.map(({ resource, action }) => `${resource} ${action}`);

  expect(catalogue.operations.map(({ id }) => id).toSorted()).toEqual(Object.keys(operations).toSorted());
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const { id, resource, action } of catalogue.operations)
    expect([findOperation(catalogue, resource, action).id, findOperation(catalogue, resource, id).id]).toEqual([
      id,
      id,
    ]);
  expect(findOperation(catalogue, "traces", "create").id).toBe("createTrace");
  expect(findOperation(catalogue, "traces", "create-traces").id).toBe("createTraces");
});

test("no query parameter hides behind a flag of all commands", () => {
  const reserved = new Set([...Object.keys(commonFlags), "json", "all", "idempotency-key"]);

  for (const operation of catalogue.operations)
    expect([operation.id, ...Object.keys(queryFlags(operation)).filter((name) => reserved.has(name))]).toEqual([
      operation.id,
    ]);
});
