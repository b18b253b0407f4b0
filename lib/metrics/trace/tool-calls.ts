import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { repeatedTools } from "../../domain/traces/wrapped-calls.ts";
import { placedSpans } from "../../judge/transcript/span-order.ts";
import { namedArguments, type RequestedCall } from "./tool-call-arguments.ts";

/** A call of a tool, as the trace itself tells it. */
export interface ToolCall {
  readonly name: string;
  readonly parameters: Json;
  /** Null where the trace does not tell it. */
  readonly result: Json;
  readonly error: string | null;
  /** Number of the span in the transcript; null when the trace's own output tells of the call. */
  readonly span: number | null;
  /** Its id; empty where there is none. */
  readonly spanId: string;
}

/** Messages nest this deep at most. */
const deepest = 8;

/** Arguments are often JSON in a string. */
const argumentsOf = (given: Json | undefined): Json => {
  if (typeof given !== "string") return given ?? null;
  try {
    const parsed: Json = JSON.parse(given);
    return parsed;
  } catch {
    return given;
  }
};

/** A call as the protocols of model providers write it, or null: `function` of OpenAI, `tool_use`, `function_call`, `functionCall`. */
const callIn = (value: JsonObject): RequestedCall | null => {
  const of = (name: Json | undefined, parameters: Json | undefined, id: Json | undefined = value["id"]) =>
    typeof name === "string" && parameters !== undefined
      ? { id: typeof id === "string" ? id : "", name, parameters: argumentsOf(parameters) }
      : null;
  if (isObject(value["function"])) return of(value["function"]["name"], value["function"]["arguments"]);
  if (isObject(value["functionCall"])) return of(value["functionCall"]["name"], value["functionCall"]["args"]);
  if (value["type"] === "tool_use") return of(value["name"], value["input"]);
  return value["type"] === "function_call" ? of(value["name"], value["arguments"], value["call_id"]) : null;
};

const callsWithin = (value: Json, depth = 0): readonly RequestedCall[] => {
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.flatMap((item: Json) => callsWithin(item, depth + 1));
  if (!isObject(value)) return [];
  const call = callIn(value);
  return call === null ? Object.values(value).flatMap((item) => callsWithin(item, depth + 1)) : [call];
};

const requestedCalls = (output: Json, span: number | null, spanId: string): readonly ToolCall[] =>
  callsWithin(output).map(({ name, parameters }) => ({ name, parameters, result: null, error: null, span, spanId }));

/**
 * The tools a trace called, in order: its TOOL spans, two of one call as one; where it has none, the calls that its models'
 * replies ask for. Facts, so no judge is asked for them.
 */
export const toolCalls = (trace: Trace): readonly ToolCall[] => {
  const spans = placedSpans(trace.spans);
  const tools = spans.filter(({ span }) => span.kind === "TOOL");
  const models = spans.filter(({ span }) => span.kind === "LLM");
  if (tools.length > 0) {
    const repeated = repeatedTools(trace.spans);
    const again = Map.groupBy(tools, ({ span }) => repeated.get(span.span_id));
    const argumentsOfSpan = namedArguments(models.flatMap(({ span }) => callsWithin(span.output)));
    return tools
      .filter(({ span }) => !repeated.has(span.span_id))
      .map(({ span, number }) => {
        const { span_id: id, name, output, error } = span;
        const inner = (again.get(id) ?? []).map((each) => each.span);
        const told = inner.find(({ input }) => input !== null)?.input ?? null;
        return {
          name,
          parameters: argumentsOfSpan(span.input === null ? { ...span, input: told } : span),
          result: output ?? inner.find((each) => each.output !== null)?.output ?? null,
          error: error ?? inner.find((each) => each.error !== null)?.error ?? null,
          span: number,
          spanId: id,
        };
      });
  }
  return models.length === 0
    ? requestedCalls(trace.output, null, "")
    : models.flatMap(({ span, number }) => requestedCalls(span.output, number, span.span_id));
};

/** Names and parameters of the tools a trace called, for a score's metadata. */
export const toolsCalled = (trace: Trace): readonly JsonObject[] =>
  toolCalls(trace).map(({ name, parameters }) => ({ name, parameters }));
