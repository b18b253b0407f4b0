import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parse } from "valibot";
import { createTrace } from "../../lib/contract/traces/traces.ts";
import { withIds, type IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { seeded } from "../support/random.ts";
import { generateTrace } from "./generate-trace.ts";

/** Start of the first generated trace, epoch milliseconds. */
export const firstStart = Date.UTC(2026, 9, 1);
/** Milliseconds between the starts of successive generated traces. */
export const hour = 3_600_000;

/** Traces for measurements: those of a gzipped NDJSON file, or 60 generated from the seed. */
export const sampleTraces = (file: string | undefined, seed: number): readonly IdentifiedTrace[] => {
  if (file === undefined) {
    const random = seeded(seed).next;
    return Array.from({ length: 60 }, (_, index) => generateTrace(random, String(index), firstStart + index * hour));
  }
  const text = gunzipSync(readFileSync(file)).toString("utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => withIds(parse(createTrace.body, JSON.parse(line)), () => randomUUID()));
};
