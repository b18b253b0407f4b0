import { splitError, withoutGroupLines } from "../../domain/traces/error-text.ts";
import type { NumberedSpan } from "./spans.ts";
import { clip } from "./shorten.ts";

/** First line of a frame of Python; its source follows, indented. */
const pythonFrame = /^\s*File "[^"]*", line \d+/u;
/** A frame on one line: JavaScript, Java, .NET and Rust, Ruby, PHP, or a path of Go. */
const frame = /^\s*at \S|^\s*(?:from )?\S+:\d+:in |^\s*#\d+ |^\s+\S+\.go:\d+/u;
/** True if a line names the function of the frame on the next line: in Go, and in Rust by number. */
const isFunctionName = (line: string, frameLine: string): boolean =>
  frameLine.includes(".go:") ? line.endsWith(")") || line.startsWith("created by ") : /^\d+: /u.test(line);

/** Lines of a stack without content. */
const marker =
  /^[\s^~|+-]*$|^\s*goroutine \d+ \[[^\]]*\]:$|(?:Traceback \(most recent call last\)|stack (?:back)?trace):$|^\s*(?:\.\.\. \d+ |--- End of |\[Previous line repeated )/iu;

/** Places of code that is not the program's: packages, runtimes, and the namespaces of their common classes. */
const library = new RegExp(
  [
    String.raw`[\\/](?:site-packages|dist-packages|node_modules|gems|vendor|deps|jars)[\\/]`,
    String.raw`[\\/](?:go[\\/]pkg[\\/]mod|go[\\/]src|rustc|\.cargo|lib(?:64)?[\\/](?:python|ruby)[\d.]*|var[\\/](?:runtime|lang))[\\/]`,
    String.raw`<(?:frozen |internal:|anonymous>)|\b(?:node|bun|deno|ext|native):|\[native code\]|\(native\)|internal[\\/](?:process|modules)`,
    String.raw`^\s*at (?:async )?(?:javax?|jdk|sun|com\.sun|kotlinx?|scala|akka|reactor|okhttp3|retrofit2|System|Microsoft|Azure)\.`,
    String.raw`^\s*at (?:org\.(?:apache|eclipse|hibernate|junit|springframework)|io\.(?:grpc|micrometer|netty|opentelemetry|reactivex)|com\.(?:amazonaws|anthropic|azure|fasterxml|google|openai)|dev\.langchain4j)\.`,
    String.raw`^\s*at (?:core|std|alloc|tokio)::|^\s*\d+: (?:core|std|alloc|tokio|rust_)`,
    String.raw`#\d+ (?:\[internal function\]|\{main\})`,
  ].join("|"),
  "u",
);

/** Returns the lines of a stack without the frames of libraries, and the number of these. */
const ownLines = (stack: string): { readonly lines: readonly string[]; readonly omitted: number } => {
  const lines: string[] = [];
  let [omitted, isSourceHidden, isSource] = [0, false, false];
  for (const line of stack.split("\n").map(withoutGroupLines)) {
    if (marker.test(line)) continue;
    const isPython = pythonFrame.test(line);
    if (isPython || frame.test(line)) {
      const name = isFunctionName(lines.at(-1) ?? "", line) ? lines.pop() : undefined;
      isSourceHidden = library.test(line) || (name !== undefined && library.test(name));
      if (isSourceHidden) omitted += 1;
      else lines.push(name === undefined ? line.trim() : `${name.trim()} ${line.trim()}`);
      isSource = isPython;
    } else if (isSource && /^\s/u.test(line)) {
      if (!isSourceHidden) lines.push(`  ${line.trim()}`);
    } else {
      isSource = false;
      lines.push(line.trim());
    }
  }
  return { lines, omitted };
};

/** Characters of an error that the transcript shows in whole elsewhere. */
const maxRepeatedHead = 300;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * Returns an error for a judge: type and message, then the frames of the program itself and the errors that caused it.
 *
 * @param source number of a span that shows the same error.
 */
export const errorText = (error: string, source?: number): string => {
  const { head, stack } = splitError(error);
  if (source !== undefined) return `${clip(head, maxRepeatedHead)} (same as #${source})`;
  if (stack === "") return error;
  const { lines, omitted } = ownLines(stack);
  const shown = new Set(head.split("\n").map((line) => line.trim()));
  const others = lines.filter((line) => !shown.has(line.trim()) && Boolean(shown.add(line.trim())));
  return [head, ...others, ...(omitted === 0 ? [] : [`(${counted(omitted, "frame")} of libraries)`])].join("\n");
};

const headOf = ({ span }: NumberedSpan): string | null => (span.error === null ? null : splitError(span.error).head);

/**
 * Finds the spans whose error comes from a span inside them: the number of each -> number of the innermost span with the same type
 * and message.
 */
export const errorSources = (spans: readonly NumberedSpan[]): ReadonlyMap<number, number> => {
  const heads = spans.map(headOf);
  const sources = new Map<number, number>();
  const inside = new Map<number, { readonly head: string; readonly number: number }>();
  for (const { number, parent } of spans.toReversed()) {
    const [head = null, inner] = [heads[number - 1], inside.get(number)];
    if (inner !== undefined && inner.head === head) sources.set(number, inner.number);
    const error = head === null ? inner : { head, number: sources.get(number) ?? number };
    if (parent === null || error === undefined) continue;
    if (!inside.has(parent) || heads[parent - 1] === error.head) inside.set(parent, error);
  }
  return sources;
};

/** Max errors of a trace that are named before its input. */
const maxFailures = 3;

/** Returns the errors that started inside no other failed span, one per line: the first ones and the last; empty without errors. */
export const failureLines = (spans: readonly NumberedSpan[], sources: ReadonlyMap<number, number>): string => {
  const failed = spans.filter(({ span, number }) => span.error !== null && !sources.has(number));
  const outer = new Set(failed.map(({ parent }) => parent));
  const byHead = new Map(
    failed.filter(({ number }) => !outer.has(number)).map((each) => [headOf(each) ?? "", each] as const),
  );
  const all = [...byHead].map(
    ([head, { span, number }]) =>
      `#${number} ${span.kind} ${JSON.stringify(clip(span.name, 60))}: ${clip(head, maxRepeatedHead)}`,
  );
  if (all.length <= maxFailures) return all.join("\n");
  return [...all.slice(0, maxFailures - 1), `(${all.length - maxFailures} others)`, ...all.slice(-1)].join("\n");
};
