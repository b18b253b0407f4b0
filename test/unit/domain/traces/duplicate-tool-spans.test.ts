import { expect, test } from "vitest";
import type { Span } from "../../../../lib/domain/traces/trace.ts";
import { duplicateToolSpans } from "../../../../lib/domain/traces/duplicate-tool-spans.ts";
import { jsonExport, jsonSpan } from "../../../support/otlp/otlp.ts";
import { attributesOf, spansIn, type Attributes } from "../../../support/otlp/otlp-span.ts";

const [framework, client, otherClient] = ["aa".repeat(8), "bb".repeat(8), "cc".repeat(8)];
const call = { "gen_ai.operation.name": "chat" };

const spans = (
  ...spanTuples: readonly (readonly [id: string, parent: string, attributes: Attributes])[]
): readonly Span[] =>
  spansIn(
    jsonExport(
      spanTuples.map(([id, parentSpanId, attributes], index) =>
        jsonSpan("5b8efff798038103d269b633813fc60c", id, {
          parentSpanId,
          attributes: attributesOf(attributes),
          startTimeUnixNano: String(1_795_251_600_000_000_000n + BigInt(index) * 3_600_000_000_000n),
        }),
      ),
    ),
  );

const tool = (name: string) => ({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name });
const repeated = (spanList: readonly Span[]): readonly string[] =>
  Array.from(duplicateToolSpans(spanList), ([inner, outer]) => `${inner.slice(-2)} ${outer.slice(-2)}`);

test("a tool call recorded by several instrumentations is that of the outermost span", () => {
  const lookup = tool("lookup");

  expect(repeated(spans([framework, "", lookup], [client, framework, lookup], [otherClient, client, lookup]))).toEqual([
    "bb aa",
    "cc aa",
  ]);
});

test("a tool called by another tool is a separate call, as is a tool of the same name elsewhere", () => {
  expect(repeated(spans([framework, "", tool("search")], [client, framework, tool("lookup")]))).toEqual([]);
  expect(
    repeated(spans([framework, "", tool("lookup")], [client, framework, call], [otherClient, client, tool("lookup")])),
  ).toEqual([]);
});

test("tools that name each other as their parents are one call", () => {
  expect(repeated(spans([framework, client, tool("lookup")], [client, framework, tool("lookup")]))).toHaveLength(1);
});

test("of 10,000 nested reports of one call the outermost represents it, whichever order they are sent in", () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => String(index + 1).padStart(16, "0"));
  const nested = spans(...ids.map((id, index) => [id, ids[index - 1] ?? "", tool("lookup")] as const));

  for (const each of [nested, nested.toReversed()]) {
    const outermost = new Set(duplicateToolSpans(each).values());
    expect([...outermost]).toEqual([nested[0]?.span_id]);
  }
});
