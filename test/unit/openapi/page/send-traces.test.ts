import { afterAll, expect, test } from "vitest";
import { openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { documentPages } from "../../../../lib/contract/openapi/page/page.ts";
import { javaScriptPrograms } from "../../../../lib/contract/openapi/page/programs/javascript.ts";
import { instrumentedPrograms } from "../../../../lib/contract/openapi/page/programs/python-instrumented.ts";
import { pythonPrograms } from "../../../../lib/contract/openapi/page/programs/python.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { renderedPage } from "../../../support/page/rendered-page.ts";

const window = renderedPage(documentPages(openApiDocument(routes))("send-traces", "http://127.0.0.1:4000") ?? "");
const { document } = window;
afterAll(() => window.happyDOM.close());

const programs = [...instrumentedPrograms, ...pythonPrograms, ...javaScriptPrograms];
const shownPrograms = [...document.querySelectorAll("#send-traces details")].map((details) => ({
  summary: details.querySelector("summary")?.textContent.replaceAll(/\s+/gu, " ").trim() ?? "",
  blocks: [...details.querySelectorAll("pre")].map(({ textContent }) => textContent),
}));

test("the page has every program of the table, with the versions that it was tested with", () => {
  expect(shownPrograms.map(({ summary }) => summary)).toEqual(
    programs.map(({ name, ranWith }) => `Send traces from ${name} ${ranWith.join(", ")}`),
  );
  expect(shownPrograms.map(({ blocks }) => blocks[1])).toEqual(programs.map(({ code }) => code));
  expect(new Set(programs.map(({ name }) => name)).size).toBe(programs.length);
});

test.each(programs)("$name lists the versions it was tested with, and holds no API key and no address", (program) => {
  expect(program.ranWith.length).toBeGreaterThan(0);
  for (const version of program.ranWith) expect(version).toMatch(/^\S+ \d+\.\d+(?:\.\d+)?$/u);
  expect(program.code).not.toMatch(/sk_as_|127\.0\.0\.1|localhost/u);
});

test.each(shownPrograms)("$summary reads the address and the API key from shell variables", ({ blocks }) => {
  const [settings = ""] = blocks;

  expect(settings).toContain("$ASSAY");
  expect(settings).toContain("$KEY");
  expect(settings.split("\n").every((line) => line.startsWith("export "))).toBe(true);
});
