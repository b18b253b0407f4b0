/** Begins the stack of an error: Python, PHP, Rust; the frames of JavaScript, Java and .NET, Ruby, Go. */
const stackStart =
  /(?:(?:^|\n)[ |+-]+)?(?:Exception Group )?Traceback \(most recent call last\):|\n[^\S\n]*(?:stack (?:back)?trace:|goroutine \d+ \[)|\n[^\S\n]+(?:at \S|from \S+:\d)/iu;

const pythonFrame = /^\s*File "[^"\n]*", line \d+/u;

/** The lines that draw the tree of an exception group. */
const groupLines = /^(?: *[|+](?:-+(?: \d+ -+)?)? ?)+/u;

/** Returns a line of an exception group without the lines that draw its tree. */
export const withoutGroupLines = (line: string): string => line.replace(groupLines, "");

/** Returns the exception that a Python traceback ends in: the lines after the last frame and its source; empty if it is cut off. */
const raisedException = (traceback: string): string => {
  const lines = traceback.split("\n").map(withoutGroupLines);
  const after = lines.slice(lines.findLastIndex((line) => pythonFrame.test(line)) + 1);
  const start = after.findIndex((line) => /^\S/u.test(line) && !/^(?:Traceback |\[Previous line)/u.test(line));
  if (start < 0) return "";
  const end = after.findIndex((line, index) => index > start && line.trim() === "");
  return after.slice(start, end < 0 ? undefined : end).join("\n");
};

/** A Python object as `repr` writes it, such as `RuntimeError('No answer.')`. */
const repr = /^[\w.]+\(.*\)$/su;

/** Splits an error text into its type and message, and the stack with what follows it (empty if the error has none). */
export const splitError = (text: string): { readonly head: string; readonly stack: string } => {
  const at = text.search(stackStart);
  if (at < 0) return { head: text, stack: "" };
  const [before, stack] = [text.slice(0, at).trim(), text.slice(at).replace(/^\n+/u, "")];
  const exception = /^\W*(?:Exception Group )?Traceback/u.test(stack) ? raisedException(stack) : "";
  if (before === "" || (repr.test(before) && exception !== "")) return { head: exception || stack, stack };
  // JavaScript repeats the message above its frames, with the type.
  const paragraphs = before.split(/\n\s*\n/u);
  const [first = "", last = ""] = [paragraphs[0], paragraphs.at(-1)];
  return { head: last.endsWith(first) ? last : before, stack };
};

/** Returns an error text with type and message first, the stack after them. */
export const withHeadFirst = (text: string): string => {
  const { head, stack } = splitError(text);
  return stack === "" || text.startsWith(head) ? text : `${head}\n${stack}`;
};
