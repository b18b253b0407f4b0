/** A span as its line in a transcript tells it. */
interface RecordedSpan {
  readonly kind: string;
  readonly status: string;
  readonly name: string;
  readonly input: string;
  readonly output: string;
}

/** What the rules read from a transcript. */
export interface JudgedRecord {
  readonly status: string;
  readonly input: string;
  readonly output: string;
  /** What the user said over the whole record, in order; the input where the record tells no turns. */
  readonly turns: readonly string[];
  readonly spans: readonly RecordedSpan[];
}

/** The text of the notes of a name in a judge's user message; empty when there are none. */
export const readNotes = (message: string, name: string): string =>
  new RegExp(
    `^Notes: ${name}\\n<<<<< NOTES (?<nonce>\\S+) BEGINS >>>>>\\n(?<notes>[\\s\\S]*?)\\n<<<<< NOTES \\k<nonce> ENDS >>>>>$`,
    "mu",
  ).exec(message)?.groups?.["notes"] ?? "";

const recordIn = (message: string): string =>
  /^<<<<< RECORD (?<nonce>\S+) BEGINS >>>>>\n(?<record>[\s\S]*?)\n<<<<< RECORD \k<nonce> ENDS >>>>>$/mu.exec(message)
    ?.groups?.["record"] ?? "";

/** The code that begins the transcript's own lines. */
const lineCodeIn = (message: string): string =>
  /^Codes of this evaluation: \S+ and (?<code>\w+)\.$/mu.exec(message)?.groups?.["code"] ?? "";

// Text of a trace is always indented in a transcript, so a line that is not is the transcript's own.
const section = (lines: readonly string[], label: string): string => {
  const start = lines.findIndex((line) => line.startsWith(`${label}:`));
  if (start === -1) return "";
  const length = lines.slice(start + 1).findIndex((line) => line !== "" && !line.startsWith(" "));
  const body = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length);
  return [lines[start]!.slice(label.length + 1), ...body].join("\n").trim();
};

/** Reads the transcript out of a judge's user message. */
export const readRecord = (message: string): JudgedRecord => {
  const mark = `${lineCodeIn(message)} `;
  const lines = recordIn(message)
    .split("\n")
    .map((line) => (line.startsWith(mark) ? line.slice(mark.length) : line));
  const starts = lines.flatMap((line, index) => (/^#\d+ [A-Z]+ [A-Z]+\b/u.test(line) ? [index] : []));
  const head = lines.slice(0, starts[0]);
  const turns = head.flatMap((line) => /^(?<label>User turn \d+ \([^)]*\)):/u.exec(line)?.groups?.["label"] ?? []);
  const input = section(head, "Trace input");
  return {
    status: /^Trace status (?<status>[A-Z]+)/u.exec(lines[0] ?? "")?.groups?.["status"] ?? "",
    input,
    output: section(head, "Trace output"),
    turns: turns.length === 0 ? [input] : turns.map((label) => section(head, label)),
    spans: starts.map((start, index) => {
      const own = lines.slice(start, starts[index + 1]);
      const [number = "", kind = "", told = ""] = (own[0] ?? "").split(/[ :]/u);
      const name = /: "(?<name>(?:[^"\\]|\\.)*)"/u.exec(own[0] ?? "")?.groups?.["name"] ?? "";
      const output = section(own, `${number} output`);
      // Many tools say of their failure in what they return alone.
      const status = kind === "TOOL" && /^\W*(?:error|exception|traceback)\b/iu.test(output) ? "ERROR" : told;
      return { kind, status, name, input: section(own, `${number} input`), output };
    }),
  };
};
