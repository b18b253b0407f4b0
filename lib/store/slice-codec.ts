import * as v from "valibot";
import type { Slice } from "../domain/slice.ts";
import { uuidBytes, uuidOf } from "./packed-text.ts";

const bytes = v.instance(Uint8Array);

const item = v.object({
  pk: v.string(),
  sk: v.string(),
  targets: bytes,
  settled: bytes,
  failed: bytes,
  missing: bytes,
  example: v.optional(v.string()),
  state: v.picklist(["open", "done"]),
  epoch: v.number(),
  /** Epoch milliseconds until which a worker holds it, or before which it is not to be tried again. */
  until: v.number(),
  fruitless: v.number(),
  away_since: v.optional(v.number()),
});

/** A slice as storage sees it. */
export interface StoredSlice {
  readonly slice: Slice;
  /** Rises with every claim; 0 means no worker has claimed it yet. */
  readonly epoch: number;
  readonly until: number;
  /** Deliveries since the last progress. */
  readonly fruitless: number;
  /** Epoch milliseconds since which its provider is away; null when it is not. */
  readonly awaySince: number | null;
}

const idLength = 16;

/** Trace ids as 16 bytes each. */
export const packTargets = (targets: readonly string[]): Uint8Array => Buffer.concat(targets.map(uuidBytes));

const unpackTargets = (packed: Uint8Array): readonly string[] =>
  Array.from({ length: packed.length / idLength }, (_, index) =>
    uuidOf(packed.subarray(index * idLength, (index + 1) * idLength)),
  );

/** Reads a SLICE item. @throws when it is not one. */
export const unpackSlice = (value: Record<string, unknown>): StoredSlice => {
  const stored = v.parse(item, value);
  const [projectId = "", , runId = ""] = stored.pk.split("#");
  return {
    slice: {
      projectId,
      runId,
      id: stored.sk.slice("slice#".length),
      targets: unpackTargets(stored.targets),
      bits: { settled: stored.settled, failed: stored.failed, missing: stored.missing },
      example: stored.example ?? null,
      state: stored.state,
    },
    epoch: stored.epoch,
    until: stored.until,
    fruitless: stored.fruitless,
    awaySince: stored.away_since ?? null,
  };
};
