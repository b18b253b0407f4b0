import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { boolean, looseObject, number, object, parse, string, union, unknown } from "valibot";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { identified } from "../../../lib/domain/traces/identify.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";

/** A trace of which it is known how it came out. */
export interface Trajectory {
  readonly trace: Trace;
  readonly solved: boolean;
  readonly task: string;
}

const line = object({
  label: looseObject({ solved: boolean(), task: union([number(), string()]) }),
  trace: unknown(),
});

/** The trajectories of a file: NDJSON, gzipped, an object with `label` and `trace` a line. */
export const trajectoriesIn = (file: string): readonly Trajectory[] =>
  gunzipSync(readFileSync(file))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((text) => {
      const { label, trace } = parse(line, JSON.parse(text));
      const sent = identified(parse(createTrace.body, trace), () => randomUUID());
      return { trace: mergeTrace(null, sent), solved: label.solved, task: String(label.task) };
    });
