import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientFiles } from "../../../infra/client/render.ts";
import { operations } from "../../../lib/client/operations.ts";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { routes } from "../../../lib/contract/routes.ts";

const files = await clientFiles(openApiDocument(routes), routes);

test.each(files)("the client's %s matches the table of routes (npm run client)", (name, text) => {
  expect(readFileSync(new URL(`../../../lib/client/${name}`, import.meta.url), "utf8")).toBe(text);
});

test("the client has every operation that answers JSON, or lines of it", () => {
  const jsonRoutes = routes.filter(({ media, protocol }) => !media?.startsWith("text/") && protocol === undefined);

  expect(Object.keys(operations).toSorted()).toEqual(jsonRoutes.map(({ id }) => id).toSorted());
});
