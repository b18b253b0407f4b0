import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { duplicateToolSpans } from "../../domain/traces/duplicate-tool-spans.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import { numberedSpans } from "../../judge/transcript/spans.ts";

/** Sentence for questions that count calls or steps: what an agent's surroundings make it do is not its choice. */
export const harnessCallsExempt =
  "Calls with which the agent reads, searches or lists its own rules, instructions, notes or tools belong to its harness: they count neither for nor against it.";

/** A tool call that a model's reply requests. */
interface RequestedCall {
  /** Id of the call; empty if the reply has none. */
  readonly id: string;
  readonly name: string;
  readonly parameters: Json;
}

const callIdKey = "gen_ai.tool.call.id";

/** Returns the id of the tool call from a span's telemetry attributes; empty if there is none. */
const callIdOf = ({ metadata }: Span): string => {
  const attributes = metadata["otel.attributes"];
  const id = metadata[callIdKey] ?? (isObject(attributes) ? attributes[callIdKey] : undefined);
  return typeof id === "string" ? id : "";
};

/** Returns a value as text, since numbers and booleans are often recorded as text. */
const argumentText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** True if a call's named arguments fit the span's input, which has no names: it is null or the value of the only argument. */
const areNamesOf = (parameters: Json, spanInput: Json): boolean => {
  if (!isObject(parameters)) return false;
  if (spanInput === null) return true;
  const [value, ...furtherValues] = Object.values(parameters);
  return value !== undefined && furtherValues.length === 0 && argumentText(value) === argumentText(spanInput);
};

/**
 * Creates a function that returns a tool span's arguments. If the span's input has no argument names, they come from the model's
 * request: the call with the span's call id, or else the next call of the tool. Each requested call is used for one span.
 */
const namedArguments = (requested: readonly RequestedCall[]): ((span: Span) => Json) => {
  const unusedCalls = new Set(requested);
  return (span) => {
    const { name, input } = span;
    const id = callIdOf(span);
    const byId = id === "" ? undefined : requested.find((call) => call.id === id);
    const call =
      byId ?? [...unusedCalls].find((candidate) => candidate.name === name && (id === "" || candidate.id === ""));
    if (call === undefined) return input;
    unusedCalls.delete(call);
    return !isObject(input) && !Array.isArray(input) && areNamesOf(call.parameters, input) ? call.parameters : input;
  };
};

/** A tool call recorded in a trace. */
export interface ToolCall {
  readonly name: string;
  readonly parameters: Json;
  /** Result of the call; null if the trace does not record it. */
  readonly result: Json;
  readonly error: string | null;
  /** Number of the span in the transcript; null for a call that only the trace's output records. */
  readonly span: number | null;
  /** Id of the span; empty if there is none. */
  readonly spanId: string;
}

/** Maximum nesting depth of tool calls in a model's reply. */
const maxDepth = 8;

/** Parses arguments, which are often JSON in a string. */
const argumentsOf = (value: Json | undefined): Json => {
  if (typeof value !== "string") return value ?? null;
  try {
    const parsed: Json = JSON.parse(value);
    return parsed;
  } catch {
    return value;
  }
};

/**
 * Reads a tool call in a provider's form (OpenAI's `function`, `tool_use`, `function_call`, `functionCall`); null for other
 * values.
 */
const callIn = (value: JsonObject): RequestedCall | null => {
  const requestedCall = (name: Json | undefined, parameters: Json | undefined, id: Json | undefined = value["id"]) =>
    typeof name === "string" && parameters !== undefined
      ? { id: typeof id === "string" ? id : "", name, parameters: argumentsOf(parameters) }
      : null;
  if (isObject(value["function"])) return requestedCall(value["function"]["name"], value["function"]["arguments"]);
  if (isObject(value["functionCall"]))
    return requestedCall(value["functionCall"]["name"], value["functionCall"]["args"]);
  if (value["type"] === "tool_use") return requestedCall(value["name"], value["input"]);
  return value["type"] === "function_call" ? requestedCall(value["name"], value["arguments"], value["call_id"]) : null;
};

const callsWithin = (value: Json, depth = 0): readonly RequestedCall[] => {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return value.flatMap((item: Json) => callsWithin(item, depth + 1));
  if (!isObject(value)) return [];
  const call = callIn(value);
  return call === null ? Object.values(value).flatMap((item) => callsWithin(item, depth + 1)) : [call];
};

const requestedCalls = (output: Json, span: number | null, spanId: string): readonly ToolCall[] =>
  callsWithin(output).map(({ name, parameters }) => ({ name, parameters, result: null, error: null, span, spanId }));

/**
 * Lists the tool calls of a trace in order: its TOOL spans, without duplicates of the same call; in traces without TOOL spans,
 * the calls that the models' replies request.
 */
export const toolCalls = (trace: Trace): readonly ToolCall[] => {
  const spans = numberedSpans(trace.spans);
  const tools = spans.filter(({ span }) => span.kind === "TOOL");
  const models = spans.filter(({ span }) => span.kind === "LLM");
  if (tools.length > 0) {
    const repeated = duplicateToolSpans(trace.spans);
    const duplicates = Map.groupBy(tools, ({ span }) => repeated.get(span.span_id));
    const argumentsOfSpan = namedArguments(models.flatMap(({ span }) => callsWithin(span.output)));
    return tools
      .filter(({ span }) => !repeated.has(span.span_id))
      .map(({ span, number }) => {
        const { span_id: id, name, output, error } = span;
        const inner = (duplicates.get(id) ?? []).map((placed) => placed.span);
        const innerInput = inner.find(({ input }) => input !== null)?.input ?? null;
        return {
          name,
          parameters: argumentsOfSpan(span.input === null ? { ...span, input: innerInput } : span),
          result: output ?? inner.find((innerSpan) => innerSpan.output !== null)?.output ?? null,
          error: error ?? inner.find((innerSpan) => innerSpan.error !== null)?.error ?? null,
          span: number,
          spanId: id,
        };
      });
  }
  return models.length === 0
    ? requestedCalls(trace.output, null, "")
    : models.flatMap(({ span, number }) => requestedCalls(span.output, number, span.span_id));
};

/** Returns names and parameters of a trace's tool calls, for a score's metadata. */
export const toolsCalled = (trace: Trace): readonly JsonObject[] =>
  toolCalls(trace).map(({ name, parameters }) => ({ name, parameters }));
