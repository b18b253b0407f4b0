import { styleText } from "node:util";
import { exitCodes } from "./failure.ts";
import { fieldLines, plainLine, itemTable } from "./text.ts";

/** What a command prints to. */
export interface Terminal {
  /** True if results are tables for people; otherwise they are JSON. */
  readonly isForPeople: boolean;
  /** Columns of standard output. */
  readonly width: number;
  /** Prints a line of a result. */
  readonly print: (line: string) => void;
  /** Prints a line beside the result, on standard error. */
  readonly note: (line: string) => void;
  /** Shows what a command waits for, where a person watches; the next line replaces it. */
  readonly progress: (line: string) => void;
}

const isItem = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON without control characters that JSON allows and a terminal would obey. */
const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f]/gu,
    (letter) => String.raw`\u00${letter.charCodeAt(0).toString(16)}`,
  );

/** Prints a reply: for people a list as a table and an object as its fields, otherwise JSON. */
export const printReply = ({ isForPeople, width, print, note }: Terminal, reply: unknown): void => {
  const items = isItem(reply) && Array.isArray(reply["items"]) ? reply["items"] : reply;
  if (reply === undefined) {
    if (isForPeople) note("Done.");
  } else if (!isForPeople) print(safeJson(reply, 2));
  else if (Array.isArray(items) && items.every(isItem))
    print(items.length === 0 ? "No items." : itemTable(items, width));
  else if (isItem(reply)) print(fieldLines(reply, width));
  else print(plainLine(JSON.stringify(reply)));
  if (isForPeople && isItem(reply) && typeof reply["next_cursor"] === "string")
    note("There are more: --all reads all pages, --limit and --cursor a part.");
};

/** Prints items of a list in parts: for people tables, otherwise a line of JSON for each item. */
export const printItems = ({ isForPeople, width, print }: Terminal, items: readonly object[]): void => {
  if (!isForPeople) for (const item of items) print(safeJson(item));
  else if (items.length > 0) print(itemTable(items.filter(isItem), width));
};

/** Colours a text red where standard output is a terminal and `NO_COLOR` is not set. */
export const red = (text: string): string => styleText("red", text);

/** Opens the terminal of this process. A reader that closes the pipe, such as `head`, ends it without an error. */
export const openTerminal = (isJson: boolean): Terminal => {
  const { stdout, stderr } = process;
  stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit();
    stderr.write(`The result could not be written (${code}).\n`);
    process.exit(exitCodes.trouble);
  });
  stderr.on("error", () => process.exit(exitCodes.trouble));
  const clear = stderr.isTTY ? "\r\u001b[K" : "";
  let isWaiting = false;
  const finish = (): void => {
    if (isWaiting) stderr.write(clear);
    isWaiting = false;
  };
  return {
    isForPeople: stdout.isTTY && !isJson,
    width: stdout.isTTY ? Math.max(20, stdout.columns) : 80,
    print: (line) => {
      finish();
      stdout.write(`${line}\n`);
    },
    note: (line) => {
      finish();
      stderr.write(`${line}\n`);
    },
    progress: (line) => {
      if (!stderr.isTTY) return;
      stderr.write(clear + line);
      isWaiting = true;
    },
  };
};
