import { cited } from "./answer.ts";
import { reportsFailure } from "./failure-report.ts";

/** A span, parsed from its lines in a transcript. */
interface RecordedSpan {
  /** Number in the transcript, with which the judge cites the span: `#3`. */
  readonly number: string;
  readonly kind: string;
  readonly status: string;
  readonly name: string;
  readonly input: string;
  readonly output: string;
}

/** Matches names of tools with which an agent reads, searches or lists its own rules, instructions, notes or tools. */
const harnessTool =
  /(?:^|[^a-z])(?:find|get|list|load|read|search|view)[^a-z]?(?:available[^a-z]?)?(?:guidelines?|instructions?|memor(?:y|ies)|notes?|polic(?:y|ies)|rules?|skills?|tools?)$|(?:^|[^a-z])(?:rules?|skills?|tools?)[^a-z]?search$/iu;

/** True for a call of a tool that belongs to the agent's harness, which the rules do not hold against the agent. */
export const isHarnessCall = ({ kind, name }: Pick<RecordedSpan, "kind" | "name">): boolean =>
  kind === "TOOL" && harnessTool.test(name);

const keyOf = ({ name, input }: RecordedSpan): string => `${name}\n${input}`;

/** Returns the spans that have the name and the input of an earlier one. */
export const repeatedAmong = (spans: readonly RecordedSpan[]): readonly RecordedSpan[] =>
  spans.filter((span, index) => spans.findIndex((other) => keyOf(other) === keyOf(span)) < index);

const numberOf = ({ number }: RecordedSpan): string => number;

/** Returns the numbers of the spans that failed or repeated an earlier one. */
export const numbersAgainst = (spans: readonly RecordedSpan[], repeated: readonly RecordedSpan[]): readonly string[] =>
  spans.filter((span) => span.status === "ERROR" || repeated.includes(span)).map(numberOf);

/** Cites the spans that failed or repeated an earlier one; any span if there are none. */
export const citedSpans = (spans: readonly RecordedSpan[], repeated: readonly RecordedSpan[]): readonly string[] =>
  cited(numbersAgainst(spans, repeated), spans.map(numberOf));

/** The parts of a transcript that the rules use. */
export interface JudgedRecord {
  readonly status: string;
  readonly input: string;
  readonly output: string;
  /** Messages of the user in order; only the input if the transcript has no user turns. */
  readonly turns: readonly string[];
  readonly spans: readonly RecordedSpan[];
}

/** Extracts the notes with a name from a judge's user message; empty when absent. */
export const readNotes = (message: string, name: string): string =>
  new RegExp(
    `^Notes: ${name}\\n<<<<< NOTES (?<nonce>\\S+) BEGINS >>>>>\\n(?<notes>[\\s\\S]*?)\\n<<<<< NOTES \\k<nonce> ENDS >>>>>$`,
    "mu",
  ).exec(message)?.groups?.["notes"] ?? "";

const recordIn = (message: string): string =>
  /^<<<<< RECORD (?<nonce>\S+) BEGINS >>>>>\n(?<record>[\s\S]*?)\n<<<<< RECORD \k<nonce> ENDS >>>>>$/mu.exec(message)
    ?.groups?.["record"] ?? "";

/** Extracts the code at the start of the transcript's structural lines (those that are not trace content). */
const lineCodeIn = (message: string): string =>
  /^Codes of this evaluation: \S+ and (?<code>\w+)\.$/mu.exec(message)?.groups?.["code"] ?? "";

// Trace content is always indented in a transcript, so a line without indentation is a structural line.
const section = (lines: readonly string[], label: string): string => {
  const start = lines.findIndex((line) => line.startsWith(`${label}:`));
  if (start === -1) return "";
  const length = lines.slice(start + 1).findIndex((line) => line !== "" && !line.startsWith(" "));
  const body = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length);
  return [lines[start]!.slice(label.length + 1), ...body].join("\n").trim();
};

/** Parses the transcript in a judge's user message. */
export const readRecord = (message: string): JudgedRecord => {
  const linePrefix = `${lineCodeIn(message)} `;
  const roleLabel = new RegExp(`^ *${linePrefix}\\[\\d+\\] [^:\\n]*:`, "gmu");
  const lines = recordIn(message)
    .split("\n")
    .map((line) => (line.startsWith(linePrefix) ? line.slice(linePrefix.length) : line));
  const starts = lines.flatMap((line, index) => (/^#\d+ [A-Z]+ [A-Z]+\b/u.test(line) ? [index] : []));
  const head = lines.slice(0, starts[0]);
  const turns = head.flatMap((line) => /^(?<label>User turn \d+ \([^)]*\)):/u.exec(line)?.groups?.["label"] ?? []);
  const input = section(head, "Trace input");
  const contentOf = (sectionLines: readonly string[], label: string): string =>
    section(sectionLines, label).replace(roleLabel, "").trim();
  const output = contentOf(head, "Trace output");
  const results = new Map([["the trace output", output]]);
  return {
    status: /^Trace status (?<status>[A-Z]+)/u.exec(lines[0] ?? "")?.groups?.["status"] ?? "",
    input,
    output,
    turns: turns.length === 0 ? [input] : turns.map((label) => section(head, label)),
    spans: starts.map((start, index) => {
      const spanLines = lines.slice(start, starts[index + 1]);
      const [number = "", kind = "", statusText = ""] = (spanLines[0] ?? "").split(/[ :]/u);
      const name = /: "(?<name>(?:[^"\\]|\\.)*)"/u.exec(spanLines[0] ?? "")?.groups?.["name"] ?? "";
      const shownText = contentOf(spanLines, `${number} output`);
      const result = results.get(/^\(same as (?<place>.+)\)$/u.exec(shownText)?.groups?.["place"] ?? "") ?? shownText;
      results.set(`${number} output`, result);
      // What a model says is an answer, whatever it is about; other spans report failures in their results.
      const hasFailed = section(spanLines, `${number} error`) !== "" || (kind !== "LLM" && reportsFailure(result));
      const status = hasFailed ? "ERROR" : statusText;
      return { number, kind, status, name, input: section(spanLines, `${number} input`), output: result };
    }),
  };
};
