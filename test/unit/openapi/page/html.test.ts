import { expect, test } from "vitest";
import { breakable, codeBlock, html, prose } from "../../../../lib/contract/openapi/page/html.ts";
import { jsonLines } from "../../../../lib/contract/openapi/page/json-lines.ts";

test("values put into a page are text", () => {
  expect(html`<p title="${'"'}">${"<b>&"}</p>`.text).toBe('<p title="&quot;">&lt;b&gt;&amp;</p>');
  expect(prose("a `<b>` c").text).toBe("a <code>&lt;b&gt;</code> c");
  expect(codeBlock('a "<b>"').text).toBe('<pre>a "&lt;b&gt;"</pre>');
});

test("values put into a page keep their lines, and the page does not keep those of its source", () => {
  const markup = html`<div>
    <pre>${"{\n  1\n}"}</pre>
    <br />
  </div>`;

  expect(markup.text).toBe("<div>\n<pre>{\n  1\n}</pre>\n<br>\n</div>");
});

test("a path may break after its slashes, except the first", () => {
  expect(breakable("/traces/{trace_id}/<b>").text).toBe("/traces/<wbr>{trace_id}/<wbr>&lt;b&gt;");
});

test("JSON is on one line where it fits", () => {
  const value = { a: [1, "x", null], b: {}, c: { d: "y".repeat(70) } };

  expect(jsonLines({ a: [1, "x"] })).toBe('{ "a": [1, "x"] }');
  expect(jsonLines(value)).toBe(
    `{\n  "a": [1, "x", null],\n  "b": {},\n  "c": {\n    "d": "${"y".repeat(70)}"\n  }\n}`,
  );
  expect(JSON.parse(jsonLines(value))).toEqual(value);
});
