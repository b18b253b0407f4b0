import * as v from "valibot";
import { noUsage } from "../../domain/runs/judge-usage.ts";
import { newBits } from "../../domain/runs/pair-bits.ts";
import type { RunOrder, RunTarget } from "../../domain/runs/run.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import { uuidBytes, uuidOf } from "../bytes/text.ts";
import { packedUsage, unpackUsage } from "./usage-codec.ts";

const bytes = v.instance(Uint8Array);

const item = v.object({
  pk: v.string(),
  sk: v.string(),
  /** Traces packed, sessions as they are. */
  targets: v.union([bytes, v.array(v.string())]),
  traces: v.optional(v.array(v.number()), []),
  settled: bytes,
  failed: bytes,
  missing: bytes,
  unwanted: v.optional(bytes, () => new Uint8Array()),
  used: v.optional(packedUsage),
  scoreless: v.optional(v.boolean()),
  example: v.optional(v.string()),
  state: v.picklist(["open", "done", "void"]),
  epoch: v.number(),
  commits: v.number(),
  /** Epoch milliseconds until which a worker holds it, or before which it is not to be tried again. */
  until: v.number(),
  fruitless: v.number(),
  away_since: v.optional(v.number()),
  held: v.optional(v.boolean(), false),
  waiting: v.optional(v.string()),
  waits: v.optional(v.number(), 0),
  asleep: v.optional(v.boolean(), false),
  borrowed: v.optional(v.boolean(), false),
  sent: v.optional(v.number()),
});

/** A slice as storage sees it. */
export interface StoredSlice {
  readonly slice: Slice;
  /** Rises with every claim; 0 means no worker has claimed it yet. */
  readonly epoch: number;
  /** How often something of it was committed. */
  readonly commits: number;
  readonly until: number;
  /** Deliveries since the last progress. */
  readonly fruitless: number;
  /** Epoch milliseconds since which its provider is away; null when it is not. */
  readonly awaySince: number | null;
  /** Whether `until` is the end of a worker's lease. */
  readonly held: boolean;
  /** What it waits for, in words for a user; null when for nothing but a worker. */
  readonly waiting: string | null;
  /** How often, one time after the other, it was found to have no money. */
  readonly waits: number;
  /** Whether no message of it is left in the queue, so that it has to be sent again at `until`. */
  readonly asleep: boolean;
  /** Whether whoever holds it was sent for another slice, so that its own message has still to be kept. */
  readonly borrowed: boolean;
  /** When the sweeper last sent it, epoch milliseconds; null: it was sent when its run was created, and not since. */
  readonly sentAt: number | null;
}

const idLength = 16;

/** Trace ids as 16 bytes each. */
const packIds = (targets: readonly string[]): Uint8Array => Buffer.concat(targets.map(uuidBytes));

const unpackIds = (packed: Uint8Array): readonly string[] =>
  Array.from({ length: packed.length / idLength }, (_, index) =>
    uuidOf(packed.subarray(index * idLength, (index + 1) * idLength)),
  );

/** The attributes of a slice that nobody has claimed yet. */
export const packNewSlice = ({ metrics, targetType }: RunOrder, targets: readonly RunTarget[]) => {
  const ids = targets.map(({ id }) => id);
  const { unwanted, ...bits } = newBits(
    targets.map((target) => target.metrics),
    metrics.length,
  );
  return {
    kind: "slice",
    ...(targetType === "TRACE"
      ? { targets: packIds(ids) }
      : { targets: ids, traces: targets.map(({ traces }) => traces) }),
    ...bits,
    ...(unwanted.length === 0 ? {} : { unwanted }),
    scoreless: false,
    state: "open",
    epoch: 0,
    commits: 0,
    until: 0,
    fruitless: 0,
  };
};

/** Reads a SLICE item. @throws when it is not one. */
export const unpackSlice = (value: Record<string, unknown>): StoredSlice => {
  const stored = v.parse(item, value);
  const [projectId = "", , runId = ""] = stored.pk.split("#");
  const { targets, settled, failed, missing, unwanted } = stored;
  return {
    slice: {
      projectId,
      runId,
      id: stored.sk.slice("slice#".length),
      targets: targets instanceof Uint8Array ? unpackIds(targets) : targets,
      traces: stored.traces,
      bits: { settled, failed, missing, unwanted },
      example: stored.example ?? null,
      scoreless: stored.scoreless,
      usage: stored.used === undefined ? noUsage : unpackUsage(stored.used),
      state: stored.state,
    },
    epoch: stored.epoch,
    commits: stored.commits,
    until: stored.until,
    fruitless: stored.fruitless,
    awaySince: stored.away_since ?? null,
    held: stored.held,
    waiting: stored.waiting ?? null,
    waits: stored.waits,
    asleep: stored.asleep,
    borrowed: stored.borrowed,
    sentAt: stored.sent ?? null,
  };
};
