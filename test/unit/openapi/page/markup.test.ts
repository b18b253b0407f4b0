import { HtmlValidate } from "html-validate";
import { expect, test } from "vitest";
import { openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { documentPage } from "../../../../lib/contract/openapi/page/page.ts";
import { routes } from "../../../../lib/contract/routes.ts";

/** Rules about the standard and about access for everybody; how the source is spelled is the formatter's matter. */
const validator = new HtmlValidate({
  root: true,
  extends: ["html-validate:recommended", "html-validate:document", "html-validate:a11y"],
  rules: { "doctype-style": "off", "no-trailing-whitespace": "off" },
});

const problemsOf = async (page: string): Promise<string[]> => {
  const { results } = await validator.validateString(page);
  return results.flatMap(({ messages }) =>
    messages.map(({ line, column, ruleId, message }) => `${line}:${column} ${ruleId}: ${message}`),
  );
};

/** With the field that the script shows. */
const page = documentPage(openApiDocument(routes))("http://127.0.0.1:4000").replace(
  'id="search" hidden',
  'id="search"',
);

test("the page is valid HTML, and accessible as far as its source shows it", async () => {
  expect(await problemsOf(page)).toEqual([]);
});

test("a heading that skips a level, an id that stands twice and a field without a label are noticed", async () => {
  const flawed = page
    .replace("<h2>", '<h5 id="start">')
    .replace("</h2>", "</h5>")
    .replace(/<label for="query">[^]*?<\/label>/u, "");

  expect((await problemsOf(flawed)).map((problem) => problem.split(/[ :]+/u)[2])).toEqual(
    expect.arrayContaining(["heading-level", "no-dup-id", "input-missing-label"]),
  );
});
