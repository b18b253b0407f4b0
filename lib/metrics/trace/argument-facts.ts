import type { Json } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { Facts } from "../../judge/metric.ts";
import { clip } from "../../judge/transcript/clip.ts";
import { conversationOf, type UserTurn } from "../../judge/transcript/conversation.ts";
import { coverageOf } from "../../judge/transcript/coverage.ts";
import type { Section } from "../../judge/transcript/shorten.ts";
import { jsonText } from "../../judge/transcript/shown-texts.ts";
import { textForm } from "./text-form.ts";
import { toolCalls, type ToolCall } from "./tool-calls.ts";
import { toolSchemas } from "./tool-schemas.ts";

/** Calls that one question is about at most: each asks for a verdict of its own. */
const callsOfPart = 40;

/** Questions about one trace at most: 1,000 calls. */
const mostParts = 25;

/** Characters of a text at most. */
const lengths = { rules: 8000, schema: 2000, turn: 3000, agent: 600, parameters: 3000, error: 400, name: 200 } as const;
/** Characters of all results of a question, and of each. */
const results = { all: 24_000, least: 400, most: 2000 } as const;

/** What the facts are shortened to. */
export const factLimits = { callsOfPart, mostParts, lengths, results };

const own = (value: Json): string => (value === null ? "(not in the record)" : jsonText(value));

/** Puts a trace's texts together, shortened, and counts what was shown of them. */
const collector = () => {
  let [shown, total] = [0, 0];
  return {
    skip: ({ parameters, result }: ToolCall): void => {
      total += own(parameters).length + own(result).length;
    },
    part: (text: string, limit: number): string => {
      const cut = clip(text, limit);
      shown += Math.min(cut.length, text.length);
      total += text.length;
      return cut;
    },
    coverage: () => coverageOf(shown, total),
  };
};

/** Which calls each question is about, by their indexes. */
export const partsOf = (calls: readonly ToolCall[]): readonly (readonly [from: number, to: number])[] =>
  Array.from({ length: Math.min(mostParts, Math.ceil(calls.length / callsOfPart)) }, (_, part) => [
    part * callsOfPart,
    Math.min(calls.length, (part + 1) * callsOfPart),
  ]);

/** What the user said, the whole input where no turn can be told. */
const turnsOf = (trace: Trace, turns: readonly UserTurn[]): readonly UserTurn[] =>
  turns.length > 0 ? turns : [{ number: 1, text: textForm(trace.input), before: "", span: null }];

/**
 * What the questions of argument_correctness are about, one text of the trace a line, as JSON: what the system's messages told
 * the agent, the definitions of the tools that were called, every turn of the user with what the agent had said before it, and
 * the calls, each after the turn it follows, with what came of it. A question for every 40 calls.
 */
export const argumentFacts = (trace: Trace): readonly Facts[] => {
  const calls = toolCalls(trace);
  const { rules, turns } = conversationOf(trace);
  const schemas = toolSchemas(trace, new Set(calls.map(({ name }) => name)));
  const said = turnsOf(trace, turns);

  return partsOf(calls).map(([from, to]) => {
    const { part, skip, coverage } = collector();
    const asked = calls.slice(from, to);
    const longestResult = Math.min(results.most, Math.max(results.least, Math.floor(results.all / asked.length)));
    const turnLines = ({ number, text, before }: UserTurn): string[] => [
      ...(before === "" ? [] : [`The agent said: ${part(jsonText(before), lengths.agent)}`]),
      `User turn ${number}: ${part(jsonText(text), lengths.turn)}`,
    ];
    const callSection = ({ name, parameters, result, error, span, spanId }: ToolCall, index: number): Section => ({
      head: `Call ${from + index + 1}${span === null ? "" : ` (#${span})`}: ${part(jsonText(name), lengths.name)}`,
      body: [
        `  parameters: ${part(own(parameters), lengths.parameters)}`,
        `  result: ${part(own(result), longestResult)}`,
        ...(error === null ? [] : [`  error: ${part(jsonText(error), lengths.error)}`]),
      ].join("\n"),
      part: "input",
      span: span === null ? null : { id: spanId, number: span },
    });
    const sections: Section[] = [];
    const say = (lines: readonly string[]): void => {
      for (const head of lines) sections.push({ head, body: "", part: "trace", span: null });
    };
    say(rules.map((rule) => `System rules: ${part(jsonText(rule), lengths.rules)}`));
    for (const name of new Set(asked.map((call) => call.name))) {
      const schema = schemas.get(name);
      if (schema !== undefined) say([`Tool ${jsonText(name)}: ${part(jsonText(schema), lengths.schema)}`]);
    }
    let told = 0;
    for (const [index, call] of asked.entries()) {
      // The turns that are seen before the call; all of them where the trace's own output tells of it.
      const next = said.findIndex(({ span }) => call.span !== null && (span ?? 0) > call.span);
      const until = Math.max(told, next === -1 ? said.length : next);
      say(said.slice(told, until).flatMap(turnLines));
      told = until;
      if (index === 0 && from > 0) say([`(calls 1 to ${from} are asked about apart)`]);
      sections.push(callSection(call, index));
    }
    const rest = to === partsOf(calls).at(-1)?.[1] ? calls.slice(to) : [];
    for (const call of rest) skip(call);
    if (rest.length > 0) say([`(${rest.length} more calls are not asked about)`]);
    const text = sections.map(({ head, body }) => (body === "" ? head : `${head}\n${body}`)).join("\n");
    return { name: "tool calls", text, coverage: coverage(), sections };
  });
};
