import { parse } from "valibot";
import { describe, expect, test } from "vitest";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { otlpMapping } from "../../../lib/contract/otlp/mapping.ts";
import type { Span, Trace } from "../../../lib/domain/traces/trace.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { traceIn } from "../../support/otlp/otlp-fixtures.ts";

type Look = (trace: Trace, span: Span) => unknown;

const kinds: Readonly<Record<string, string>> = {
  "gen_ai.operation.name": "chat",
  "openinference.span.kind": "TOOL",
  "llm.request.type": "embedding",
  "traceloop.span.kind": "agent",
  "ai.operationId": "ai.embed",
  "langfuse.observation.type": "retriever",
  "langsmith.span.kind": "tool",
  "mlflow.spanType": "AGENT",
};

/** Reader of each field, and the other attributes that a span needs for the field. */
const fieldReaders: Readonly<
  Record<string, { readonly look: Look; readonly base?: Readonly<Record<string, string>> }>
> = {
  kind: { look: (_, { kind }) => (kind === "OTHER" ? null : kind) },
  model: { look: (_, { model }) => model },
  input: { look: (_, { input }) => input },
  output: { look: (_, { output }) => output },
  "model_parameters.tools": { look: (_, span) => span.model_parameters?.["tools"] },
  "cost.total": { look: (_, { cost }) => cost?.["total"] },
  "name of a TOOL": { look: (_, { name }) => name, base: { "gen_ai.operation.name": "execute_tool" } },
  "name of an AGENT": { look: (_, { name }) => name, base: { "gen_ai.operation.name": "invoke_agent" } },
  "name of a CHAIN": { look: (_, { name }) => name, base: { "gen_ai.operation.name": "invoke_workflow" } },
  "session_id of the trace": { look: ({ session_id: session }) => session },
  "user_id of the trace": { look: ({ user_id: user }) => user },
  "tags of the trace (of all spans)": { look: (_, { metadata }) => metadata["otel.tags"] },
  "name of the trace": { look: ({ name }) => name },
  "environment of the trace": { look: ({ environment }) => environment },
  "release of the trace": { look: ({ release }) => release },
  completion_start_time: { look: (_, span) => span.completion_start_time },
  error: { look: (_, { error }) => error },
};

const lookFor = (field: string): (typeof fieldReaders)[string] | undefined => {
  const usage = /^token_usage\.(\w+)$/u.exec(field)?.[1];
  return usage === undefined ? fieldReaders[field] : { look: (_, span) => span.token_usage?.[usage] };
};

const isNumber = (field: string): boolean => /^(?:token_usage|cost|completion_start_time)/u.test(field);

const attributeOf = (field: string, name: string, number: number) => ({
  key: name.replace(".N.", ".0.").replace(/\*$/u, "text"),
  value: isNumber(field) ? { doubleValue: number + 1 } : { stringValue: kinds[name] ?? `text ${number}` },
});

/** Field of a span that has some attributes of the table, each with a different value. */
const readAs = (field: string, names: readonly (readonly [string, number])[]): unknown => {
  const { look, base = {} } = lookFor(field) ?? { look: () => null };
  const attributes = names.map(([name, number]) => attributeOf(field, name, number));
  const plain = Object.entries(base).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const status = { code: field === "error" ? 2 : 0 };
  const exportedSpan = jsonSpan("5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", {
    attributes: [...plain, ...attributes],
    status,
  });
  const { resourceSpans } = jsonExport([exportedSpan]);
  const request = { resourceSpans: resourceSpans.map(({ scopeSpans }) => ({ scopeSpans, resource: { attributes } })) };
  const trace = traceIn(parse(exportTraces.body, request));
  const [span] = trace.spans;
  return span === undefined ? null : look(trace, span);
};

const attributesOf = (from: readonly string[]): readonly string[] => from.filter((name) => !name.startsWith("("));

const ordered = otlpMapping.filter(({ field }) => lookFor(field) !== undefined);

test("every field of the table that chooses one attribute has its order checked here", () => {
  const uncheckedFields = otlpMapping.filter((row) => !ordered.includes(row)).map(({ field }) => field);

  expect(uncheckedFields).toEqual(["model_parameters (all that are set)", "metadata (all that is set)"]);
});

describe.each(ordered)("the documented order of $field", ({ field, from }) => {
  const names = attributesOf(from).map((name, number) => [name, number] as const);

  test("is the order in which its attributes take precedence", () => {
    const alone = names.map((each) => readAs(field, [each]));
    const withAllAfter = names.map((_, index) => readAs(field, names.slice(index)));

    expect(alone).not.toContain(null);
    expect(alone).not.toContain(undefined);
    // There are more conventions than kinds of spans, so each result only differs from the next.
    const texts = alone.map((value) => JSON.stringify(value));
    const laterTexts =
      field === "kind" ? (index: number) => [texts[index + 1]] : (index: number) => texts.toSpliced(index, 1);
    expect(texts.filter((text, index) => laterTexts(index).includes(text))).toEqual([]);
    expect(withAllAfter).toEqual(alone);
  });
});
