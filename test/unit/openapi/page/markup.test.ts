import { HtmlValidate } from "html-validate";
import { expect, test } from "vitest";
import { openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { documentPages } from "../../../../lib/contract/openapi/page/page.ts";
import { routes } from "../../../../lib/contract/routes.ts";

/** Rules of the HTML standard and of accessibility; the formatter decides about spelling. */
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

const pageOf = documentPages(openApiDocument(routes));

/** A page with the search field that the script shows. */
const shownPage = (topic: string): string =>
  (pageOf(topic, "http://127.0.0.1:4000") ?? "").replace('id="search" hidden', 'id="search"');

/** A page of each kind; the pages of other resources differ in their texts only. */
test.each(["", "send-traces", "vercel", "schemas", "runs"])(
  "page '%s' is valid HTML, and accessible as far as its source shows",
  async (topic) => {
    expect(await problemsOf(shownPage(topic))).toEqual([]);
  },
);

test("a skipped heading level, a duplicate id and a field without a label are detected", async () => {
  const flawed = shownPage("")
    .replace("<h2>", '<h5 id="main">')
    .replace("</h2>", "</h5>")
    .replace(/<label for="query">[^]*?<\/label>/u, "");

  expect((await problemsOf(flawed)).map((problem) => problem.split(/[ :]+/u)[2])).toEqual(
    expect.arrayContaining(["heading-level", "no-dup-id", "input-missing-label"]),
  );
});
