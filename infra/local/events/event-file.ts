import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DeliveredEvent } from "./event-bus.ts";

/** Keeps what came over the bus in `events.jsonl`, one event a line, readable by its owner only. */
export const eventFile = (directory: string) => {
  mkdirSync(directory, { recursive: true });
  return (event: DeliveredEvent): void =>
    appendFileSync(join(directory, "events.jsonl"), `${JSON.stringify(event)}\n`, { mode: 0o600 });
};
