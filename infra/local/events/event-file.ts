import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { DeliveredEvent } from "./event-bus.ts";

const newline = 0x0a;

/** Largest part of the file that is read at once, in bytes: more than an event. */
const maxBytes = 1_000_000;

/** Opens a directory's `events.jsonl`, which it creates; only the file owner can read it. @returns the result of `work`. */
const withFile = <Result>(directory: string, work: (file: number, size: number) => Result): Result => {
  mkdirSync(directory, { recursive: true });
  const file = openSync(join(directory, "events.jsonl"), "a+");
  try {
    return work(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
};

/** A line of the file. */
interface EventLine {
  readonly text: string;
  /** Offset after the line, in bytes. */
  readonly end: number;
}

/** Reads whole lines of a directory's `events.jsonl` from an offset in bytes, from the beginning if the file has become shorter. */
export const readEventLines = (directory: string, offset: number): readonly EventLine[] =>
  withFile(directory, (file, size) => {
    let end = size < offset ? 0 : offset;
    const bytes = Buffer.alloc(Math.min(maxBytes, size - end));
    const part = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, end));
    const lines: EventLine[] = [];
    for (let from = 0, to = part.indexOf(newline); to !== -1; from = to + 1, to = part.indexOf(newline, from)) {
      end += to + 1 - from;
      lines.push({ text: part.toString("utf8", from, to), end });
    }
    return lines;
  });

/** Returns the size of a directory's `events.jsonl` in bytes. */
export const eventFileSize = (directory: string): number => withFile(directory, (_, size) => size);

/** Returns a function that appends events to a directory's `events.jsonl`, one JSON object per line. */
export const eventFileWriter = (directory: string) => {
  withFile(directory, (file, size) => {
    const last = Buffer.alloc(1, newline);
    if (size > 0) readSync(file, last, 0, 1, size - 1);
    // A process that was killed has left a part of a line, to which nothing may be joined.
    if (last[0] !== newline) appendFileSync(file, "\n");
  });
  return (event: DeliveredEvent): void =>
    withFile(directory, (file) => appendFileSync(file, `${JSON.stringify(event)}\n`));
};
