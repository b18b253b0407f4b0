import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DeliveredEvent } from "./event-bus.ts";

/** Returns a function that appends events to `events.jsonl` in a directory, one JSON object per line; only the file owner can read it. */
export const eventFileWriter = (directory: string) => {
  mkdirSync(directory, { recursive: true });
  return (event: DeliveredEvent): void =>
    appendFileSync(join(directory, "events.jsonl"), `${JSON.stringify(event)}\n`, { mode: 0o600 });
};
