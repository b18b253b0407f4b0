import type { Json } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { clip } from "../../judge/transcript/clip.ts";
import { coverageOf } from "../../judge/transcript/coverage.ts";
import type { Facts } from "../../judge/metric.ts";
import { jsonText } from "../../judge/transcript/shown-texts.ts";
import { textForm } from "./text-form.ts";
import { toolCalls, type ToolCall } from "./tool-calls.ts";

/** Calls that one question is about at most: each asks for a verdict of its own. */
export const mostCalls = 40;

const lengths = { input: 4000, parameters: 1500, result: 400, error: 400, name: 200 } as const;

/** Puts a trace's texts together, shortened, and counts what was shown of them. */
const collector = () => {
  let [shown, total] = [0, 0];
  return {
    part: (text: string, limit: number): string => {
      const cut = clip(text, limit);
      shown += Math.min(cut.length, text.length);
      total += text.length;
      return cut;
    },
    skip: (text: string): void => {
      total += text.length;
    },
    coverage: () => coverageOf(shown, total),
  };
};

const own = (value: Json): string => (value === null ? "(not in the record)" : jsonText(value));

/**
 * The user's input and the tool calls of a trace with what came of them, one JSON text a line: all that the question of
 * argument_correctness is about.
 */
export const argumentFacts = (trace: Trace): Facts => {
  const { part, skip, coverage } = collector();
  const calls = toolCalls(trace);
  const lines = (call: ToolCall, index: number): string[] => [
    `Call ${index + 1}: ${part(jsonText(call.name), lengths.name)}`,
    `  parameters: ${part(own(call.parameters), lengths.parameters)}`,
    `  result: ${part(own(call.result), lengths.result)}`,
    ...(call.error === null ? [] : [`  error: ${part(jsonText(call.error), lengths.error)}`]),
  ];
  const input = `User's input: ${part(jsonText(textForm(trace.input)), lengths.input)}`;
  const shown = calls.slice(0, mostCalls).flatMap(lines);
  for (const { parameters, result } of calls.slice(mostCalls)) skip(own(parameters) + own(result));
  const rest = calls.length > mostCalls ? [`(${calls.length - mostCalls} more calls left out)`] : [];
  return { name: "tool calls", text: [input, ...shown, ...rest].join("\n"), coverage: coverage() };
};
