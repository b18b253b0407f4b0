import type { Json } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { Facts } from "../../judge/metric/metric.ts";
import { clip } from "../../judge/transcript/shorten.ts";
import type { TranscriptSection } from "../../judge/transcript/section.ts";
import { conversationOf, type UserTurn } from "../../judge/transcript/conversation.ts";
import { coverageOf } from "../../judge/transcript/transcript.ts";
import { jsonText } from "../../judge/transcript/value-text.ts";
import { textForm } from "./text-form.ts";
import { toolCalls, type ToolCall } from "./tool-calls.ts";
import { toolSchemas } from "./tool-schemas.ts";

/** Maximum calls per question; the answer has a verdict on each. */
const callsPerQuestion = 40;

/** Maximum questions per trace, for 1,000 calls. */
const maxQuestions = 25;

/** Maximum characters of a trace's text in a question, by kind of text. */
const lengths = { rules: 8000, schema: 2000, turn: 3000, agent: 600, parameters: 3000, error: 400, name: 200 } as const;
/** Maximum characters of all tool results in a question together, and the limits between which a single result is cut. */
const results = { all: 24_000, least: 400, most: 2000 } as const;

/** Length limits of the facts, part of the prompt fingerprint: the keys and values must not change. */
export const factLimits = { callsOfPart: callsPerQuestion, mostParts: maxQuestions, lengths, results };

const valueText = (value: Json): string => (value === null ? "(not in the record)" : jsonText(value));

/** Creates a shortener of a trace's texts that counts shown and total characters, for the coverage. */
const countingShortener = () => {
  let [shownCount, total] = [0, 0];
  return {
    skip: ({ parameters, result }: ToolCall): void => {
      total += valueText(parameters).length + valueText(result).length;
    },
    part: (text: string, limit: number): string => {
      const shortText = clip(text, limit);
      shownCount += Math.min(shortText.length, text.length);
      total += text.length;
      return shortText;
    },
    coverage: () => coverageOf(shownCount, total),
  };
};

/** Returns the range of call indexes of each question: first index, and index after the last. */
export const callRanges = (calls: readonly ToolCall[]): readonly (readonly [from: number, to: number])[] =>
  Array.from({ length: Math.min(maxQuestions, Math.ceil(calls.length / callsPerQuestion)) }, (_, part) => [
    part * callsPerQuestion,
    Math.min(calls.length, (part + 1) * callsPerQuestion),
  ]);

/** Returns the user turns; the whole input as one turn if the trace records no conversation. */
const turnsOrInput = (trace: Trace, turns: readonly UserTurn[]): readonly UserTurn[] =>
  turns.length > 0 ? turns : [{ number: 1, text: textForm(trace.input), precedingReply: "", span: null }];

/**
 * Builds the texts that the questions of argument_correctness are about, one per 40 calls: system messages, definitions of the
 * called tools, turns of the user with the agent's message before each, and the calls with their results, each after the turn
 * it follows. Every text of the trace is a JSON string on one line.
 */
export const argumentFacts = (trace: Trace): readonly Facts[] => {
  const calls = toolCalls(trace);
  const { rules, turns } = conversationOf(trace);
  const schemas = toolSchemas(trace, new Set(calls.map(({ name }) => name)));
  const userTurns = turnsOrInput(trace, turns);

  return callRanges(calls).map(([from, to]) => {
    const { part, skip, coverage } = countingShortener();
    const partCalls = calls.slice(from, to);
    const longestResult = Math.min(results.most, Math.max(results.least, Math.floor(results.all / partCalls.length)));
    const turnLines = ({ number, text, precedingReply: before }: UserTurn): string[] => [
      ...(before === "" ? [] : [`The agent said: ${part(jsonText(before), lengths.agent)}`]),
      `User turn ${number}: ${part(jsonText(text), lengths.turn)}`,
    ];
    const callSection = (
      { name, parameters, result, error, span, spanId }: ToolCall,
      index: number,
    ): TranscriptSection => ({
      head: `Call ${from + index + 1}${span === null ? "" : ` (#${span})`}: ${part(jsonText(name), lengths.name)}`,
      body: [
        `  parameters: ${part(valueText(parameters), lengths.parameters)}`,
        `  result: ${part(valueText(result), longestResult)}`,
        ...(error === null ? [] : [`  error: ${part(jsonText(error), lengths.error)}`]),
      ].join("\n"),
      part: "input",
      span: span === null ? null : { id: spanId, number: span },
    });
    const sections: TranscriptSection[] = [];
    const addLines = (lines: readonly string[]): void => {
      for (const head of lines) sections.push({ head, body: "", part: "trace", span: null });
    };
    addLines(rules.map((rule) => `System rules: ${part(jsonText(rule), lengths.rules)}`));
    for (const name of new Set(partCalls.map((call) => call.name))) {
      const schema = schemas.get(name);
      if (schema !== undefined) addLines([`Tool ${jsonText(name)}: ${part(jsonText(schema), lengths.schema)}`]);
    }
    let shownTurns = 0;
    for (const [index, call] of partCalls.entries()) {
      // Turns before the call are shown first; all turns if only the trace's output records the call.
      const next = userTurns.findIndex(({ span }) => call.span !== null && (span ?? 0) > call.span);
      const until = Math.max(shownTurns, next === -1 ? userTurns.length : next);
      addLines(userTurns.slice(shownTurns, until).flatMap(turnLines));
      shownTurns = until;
      if (index === 0 && from > 0) addLines([`(calls 1 to ${from} are asked about apart)`]);
      sections.push(callSection(call, index));
    }
    const omittedCalls = to === callRanges(calls).at(-1)?.[1] ? calls.slice(to) : [];
    for (const call of omittedCalls) skip(call);
    if (omittedCalls.length > 0) addLines([`(${omittedCalls.length} more calls are not asked about)`]);
    const text = sections.map(({ head, body }) => (body === "" ? head : `${head}\n${body}`)).join("\n");
    return { name: "tool calls", text, coverage: coverage(), sections };
  });
};
