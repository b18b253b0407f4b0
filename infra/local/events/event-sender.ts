import { join } from "node:path";
import { repeat, type Background } from "../host/background.ts";
import type { LogFailure } from "../host/failure-log.ts";
import { readJson, writeJson } from "../host/json-file.ts";
import { eventFileSize, readEventLines } from "./event-file.ts";

/**
 * Parses the environment variable `EVENT_RECEIVER`: the address on this machine to which events are sent; null if it is not set.
 *
 * @throws Error with one sentence when it is another address.
 */
export const eventReceiverOf = ({ EVENT_RECEIVER: text = "" }: Readonly<Record<string, string | undefined>>) => {
  if (text === "") return null;
  const url = URL.parse(text);
  if (url?.protocol === "http:" && ["127.0.0.1", "localhost"].includes(url.hostname)) return url.href;
  throw new Error(
    `EVENT_RECEIVER must be an address of this machine, such as http://127.0.0.1:9000/events, not ${text}.`,
  );
};

/** Pauses in milliseconds: between looks at the file, and first and longest after a failure. */
export interface SenderPauses {
  readonly idle: number;
  readonly first: number;
  readonly longest: number;
}

const defaultPauses: SenderPauses = { idle: 500, first: 1_000, longest: 30_000 };

/** Milliseconds in which the receiver has to answer. */
const answerMilliseconds = 10_000;

const isJson = (line: string): boolean => {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};

/**
 * Sends the lines of `events.jsonl` to a receiver in their order, each until it is answered with 2xx. The file
 * `events-sent.json` beside it remembers the position, so that nothing is lost while the receiver is down or after a kill; an event
 * that was sent just before a kill is sent again. The first start with a receiver begins at the end of the file.
 */
export const startEventSender = (
  directory: string,
  receiver: string,
  logFailure: LogFailure,
  { idle, first, longest }: SenderPauses = defaultPauses,
): Background => {
  const cursor = join(directory, "events-sent.json");
  let { offset } = readJson<{ readonly offset: number }>(cursor) ?? { offset: eventFileSize(directory) };
  writeJson(cursor, { offset });
  let failures = 0;

  const post = async (body: string, signal: AbortSignal): Promise<void> => {
    const { status } = await fetch(receiver, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      // A redirect could lead to another machine.
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMilliseconds)]),
    });
    if (status < 200 || status > 299) throw new Error(`The receiver of events answered ${status}.`);
  };

  return repeat(async (signal) => {
    try {
      for (const { text, end } of readEventLines(directory, offset)) {
        // A killed process may have left a part of a line.
        if (isJson(text)) await post(text, signal);
        offset = end;
        writeJson(cursor, { offset });
        failures = 0;
      }
      return idle;
    } catch (error) {
      if (!signal.aborted && failures === 0) logFailure("event-sender", error);
      failures += 1;
      return Math.min(longest, first * 2 ** (failures - 1));
    }
  });
};
