import { expect, test } from "vitest";
import { addCosts, contributionsOf, totalCost, totalTokens } from "../../../../lib/domain/traces/totals.ts";
import type { Span } from "../../../../lib/domain/traces/trace.ts";
import { duplicateToolSpans } from "../../../../lib/domain/traces/duplicate-usage.ts";
import { usageOfSpans } from "../../../../lib/domain/analytics/usage-in-range.ts";
import { jsonExport, jsonSpan } from "../../../support/otlp/otlp.ts";
import { attributesOf, spansIn, type Attributes } from "../../../support/otlp/otlp-span.ts";

const [framework, client, otherClient] = ["aa".repeat(8), "bb".repeat(8), "cc".repeat(8)];
const call = { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 60, "gen_ai.usage.output_tokens": 20 };

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

const tokens = (spanList: readonly Span[]): number => totalTokens(contributionsOf(spanList));

test("a model call recorded by two instrumentations is counted once, by the inner span", () => {
  const twice = spans([framework, "", { ...call, "gen_ai.usage.cost": 0.5 }], [client, framework, call]);

  expect(tokens(twice)).toBe(80);
  expect(totalCost(contributionsOf(twice))).toBe(0.5);
});

test("an inner span without tokens leaves those of the outer span", () => {
  expect(tokens(spans([framework, "", call], [client, framework, { "gen_ai.operation.name": "chat" }]))).toBe(80);
});

test("a model called by a tool of a model call is counted as well", () => {
  const tool = { "gen_ai.operation.name": "execute_tool" };

  expect(tokens(spans([framework, "", call], [otherClient, framework, tool], [client, otherClient, call]))).toBe(160);
});

test("an embedding within a model call is counted as well", () => {
  const embedding = { "gen_ai.operation.name": "embeddings", "gen_ai.usage.input_tokens": 5 };

  expect(tokens(spans([framework, "", call], [client, framework, embedding]))).toBe(85);
});

test("spans of other clients stay unchanged", () => {
  const otherSpans = spans([framework, "", call], [client, framework, call]).map((span) =>
    Object.assign(span, { metadata: {} }),
  );

  expect(tokens(otherSpans)).toBe(160);
});

test("the usage of all hours sums up to that of the trace", () => {
  const pricedSpans = spans([framework, "", { ...call, "gen_ai.usage.cost": 0.5 }], [client, framework, call]);
  const [before, after] = [
    usageOfSpans(pricedSpans, "2026-11-21T09:00:00+00:00", "2026-11-21T10:00:00+00:00"),
    usageOfSpans(pricedSpans, "2026-11-21T10:00:00+00:00", "2026-11-21T11:00:00+00:00"),
  ];

  expect([before, after].map(totalTokens)).toEqual([0, 80]);
  expect(addCosts([before, after].map(totalCost))).toBe(0.5);
});

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

test("tools that name each other as their parents do not cause an endless loop", () => {
  expect(repeated(spans([framework, client, tool("lookup")], [client, framework, tool("lookup")]))).toHaveLength(2);
});
