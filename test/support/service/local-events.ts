import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { DeliveredEvent } from "../../../infra/local/events/event-bus.ts";

/** Events of the shared service whose detail has a field with this value, oldest first. */
export const eventsWith = (field: string, value: string): readonly DeliveredEvent[] => {
  const file = join(inject("issuerDirectory"), "events.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line) as DeliveredEvent).filter(({ detail }) => detail[field] === value);
};
