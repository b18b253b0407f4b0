import { expect, test } from "vitest";
import { addCosts, contributionsOf, totalCost, totalTokens } from "../../../../lib/domain/traces/totals.ts";
import type { Span } from "../../../../lib/domain/traces/trace.ts";
import { repeatedTools } from "../../../../lib/domain/traces/wrapped-calls.ts";
import { usageOfSpans } from "../../../../lib/domain/analytics/usage-within.ts";
import { jsonExport, jsonSpan } from "../../../support/otlp/otlp.ts";
import { attributesOf, spansIn, type Attributes } from "../../../support/otlp/otlp-span.ts";

const [framework, client, other] = ["aa".repeat(8), "bb".repeat(8), "cc".repeat(8)];
const call = { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 60, "gen_ai.usage.output_tokens": 20 };

const spans = (...sent: readonly (readonly [id: string, parent: string, attributes: Attributes])[]): readonly Span[] =>
  spansIn(
    jsonExport(
      sent.map(([id, parentSpanId, attributes], index) =>
        jsonSpan("5b8efff798038103d269b633813fc60c", id, {
          parentSpanId,
          attributes: attributesOf(attributes),
          startTimeUnixNano: String(1_795_251_600_000_000_000n + BigInt(index) * 3_600_000_000_000n),
        }),
      ),
    ),
  );

const tokens = (all: readonly Span[]): number => totalTokens(contributionsOf(all));

test("a model call that two instrumentations tell of is counted once, by the inner span", () => {
  const twice = spans([framework, "", { ...call, "gen_ai.usage.cost": 0.5 }], [client, framework, call]);

  expect(tokens(twice)).toBe(80);
  expect(totalCost(contributionsOf(twice))).toBe(0.5);
});

test("an inner span that tells no tokens leaves those of the outer one", () => {
  expect(tokens(spans([framework, "", call], [client, framework, { "gen_ai.operation.name": "chat" }]))).toBe(80);
});

test("a model that a tool of a model call asks is counted as well", () => {
  const tool = { "gen_ai.operation.name": "execute_tool" };

  expect(tokens(spans([framework, "", call], [other, framework, tool], [client, other, call]))).toBe(160);
});

test("what is embedded for a model call is counted as well", () => {
  const embedding = { "gen_ai.operation.name": "embeddings", "gen_ai.usage.input_tokens": 5 };

  expect(tokens(spans([framework, "", call], [client, framework, embedding]))).toBe(85);
});

test("spans of other clients are taken as they are", () => {
  const sent = spans([framework, "", call], [client, framework, call]).map((span) =>
    Object.assign(span, { metadata: {} }),
  );

  expect(tokens(sent)).toBe(160);
});

test("the usage of parts of the time adds up to that of the trace", () => {
  const all = spans([framework, "", { ...call, "gen_ai.usage.cost": 0.5 }], [client, framework, call]);
  const [before, after] = [
    usageOfSpans(all, "2026-11-21T09:00:00+00:00", "2026-11-21T10:00:00+00:00"),
    usageOfSpans(all, "2026-11-21T10:00:00+00:00", "2026-11-21T11:00:00+00:00"),
  ];

  expect([before, after].map(totalTokens)).toEqual([0, 80]);
  expect(addCosts([before, after].map(totalCost))).toBe(0.5);
});

const tool = (name: string) => ({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name });
const repeated = (all: readonly Span[]): readonly string[] =>
  Array.from(repeatedTools(all), ([inner, outer]) => `${inner.slice(-2)} ${outer.slice(-2)}`);

test("a tool's call that more instrumentations tell of is that of the outermost span", () => {
  const lookup = tool("lookup");

  expect(repeated(spans([framework, "", lookup], [client, framework, lookup], [other, client, lookup]))).toEqual([
    "bb aa",
    "cc aa",
  ]);
});

test("a tool that another tool calls is a call of its own, as is one of the same name elsewhere", () => {
  expect(repeated(spans([framework, "", tool("search")], [client, framework, tool("lookup")]))).toEqual([]);
  expect(
    repeated(spans([framework, "", tool("lookup")], [client, framework, call], [other, client, tool("lookup")])),
  ).toEqual([]);
});

test("tools that name each other as their parents are not looked through for ever", () => {
  expect(repeated(spans([framework, client, tool("lookup")], [client, framework, tool("lookup")]))).toHaveLength(2);
});
