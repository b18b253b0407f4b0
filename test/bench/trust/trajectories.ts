import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { boolean, looseObject, number, object, parse, string, union, unknown } from "valibot";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { withIds } from "../../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";

/** A trace with a known outcome. */
export interface Trajectory {
  readonly trace: Trace;
  readonly solved: boolean;
  readonly task: string;
}

const line = object({
  label: looseObject({ solved: boolean(), task: union([number(), string()]) }),
  trace: unknown(),
});

/** Trajectories of a gzipped NDJSON file with `label` and `trace` per line. */
export const trajectoriesIn = (file: string): readonly Trajectory[] =>
  gunzipSync(readFileSync(file))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((text) => {
      const { label, trace } = parse(line, JSON.parse(text));
      const identifiedTrace = withIds(parse(createTrace.body, trace), () => randomUUID());
      return { trace: mergeTrace(null, identifiedTrace), solved: label.solved, task: String(label.task) };
    });
