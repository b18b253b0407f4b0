import * as v from "valibot";
import { noUsage, type RunOrder, type RunTarget } from "../../domain/runs/run.ts";
import type { Micros } from "../../domain/runs/budget.ts";
import type { Doubts } from "../../domain/runs/doubts.ts";
import { newPairBits } from "../../domain/runs/pair-bits.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import { uuidBytes, uuidOf } from "../../dynamo/bytes/text.ts";
import type { Item } from "../../dynamo/items.ts";
import { packedUsage, unpackUsage } from "./codec.ts";

const bytes = v.instance(Uint8Array);

const item = v.object({
  pk: v.string(),
  sk: v.string(),
  /** Trace ids packed as bytes, session ids as strings. */
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
  /** Epoch milliseconds until which a worker has the lease, or before which the slice must not be retried. */
  until: v.number(),
  fruitless: v.number(),
  away_since: v.optional(v.number()),
  held: v.optional(v.boolean(), false),
  abandoned: v.optional(v.boolean(), false),
  waiting: v.optional(v.string()),
  waits: v.optional(v.number(), 0),
  asleep: v.optional(v.boolean(), false),
  borrowed: v.optional(v.boolean(), false),
  sent: v.optional(v.number()),
  counted: v.optional(v.number(), 0),
  /** Attempts, instant of the first one, and 1 if the model answered since, by pair. */
  doubts: v.optional(v.record(v.string(), v.tuple([v.number(), v.number(), v.number()])), {}),
});

/** A slice as stored. */
export interface StoredSlice {
  readonly slice: Slice;
  /** Increases with every claim; 0 before the first claim. */
  readonly epoch: number;
  /** Number of commits of the slice. */
  readonly commits: number;
  readonly until: number;
  /** Deliveries of the slice's queue message since the slice last made progress. */
  readonly fruitless: number;
  /** Epoch milliseconds since which the judge's provider is unavailable; null when it is available. */
  readonly awaySince: number | null;
  /** True if `until` is the end of a worker's lease. */
  readonly isLeased: boolean;
  /** True if the worker before the current one did not release its lease. */
  readonly isAbandoned: boolean;
  /** Reason for waiting, written for users; null when the slice only waits for a worker. */
  readonly waiting: string | null;
  /** Consecutive times that no budget was available. */
  readonly waits: number;
  /** True if the queue has no message of the slice, so that it must be sent again at `until`. */
  readonly asleep: boolean;
  /**
   * True for a slice whose worker received another slice's message: this slice's own message must stay in the queue.
   */
  readonly borrowed: boolean;
  /**
   * Epoch milliseconds at which the sweeper (the scheduled maintenance function) last sent the slice to the queue; null
   * when it was only sent at the creation of its run.
   */
  readonly sentAt: number | null;
  /** Micro-dollars of its cost that are in the month's totals. */
  readonly counted: Micros;
  readonly doubts: Doubts;
}

const idLength = 16;

/** Packs trace ids as 16 bytes each. */
const packIds = (targets: readonly string[]): Uint8Array => Buffer.concat(targets.map(uuidBytes));

const unpackIds = (packed: Uint8Array): readonly string[] =>
  Array.from({ length: packed.length / idLength }, (_, index) =>
    uuidOf(packed.subarray(index * idLength, (index + 1) * idLength)),
  );

/** Attributes of a new slice. */
export const packNewSlice = ({ metrics, targetType }: RunOrder, targets: readonly RunTarget[]): Item => {
  const ids = targets.map(({ id }) => id);
  const { unwanted, ...bits } = newPairBits(
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

/** Packs the doubts about a slice's pairs. */
export const packDoubts = (doubts: Doubts): Readonly<Record<string, readonly number[]>> =>
  Object.fromEntries(
    [...doubts].map(([pair, { attempts, since, isAnswered }]) => [pair, [attempts, since, Number(isAnswered)]]),
  );

/** Parses the item of a slice. @throws ValiError when it is not a slice. */
export const unpackSlice = (value: Record<string, unknown>): StoredSlice => {
  const attributes = v.parse(item, value);
  const [projectId = "", , runId = ""] = attributes.pk.split("#");
  const { targets, settled, failed, missing, unwanted } = attributes;
  return {
    slice: {
      projectId,
      runId,
      id: attributes.sk.slice("slice#".length),
      targets: targets instanceof Uint8Array ? unpackIds(targets) : targets,
      traces: attributes.traces,
      bits: { settled, failed, missing, unwanted },
      example: attributes.example ?? null,
      scoreless: attributes.scoreless,
      usage: attributes.used === undefined ? noUsage : unpackUsage(attributes.used),
      state: attributes.state,
    },
    epoch: attributes.epoch,
    commits: attributes.commits,
    until: attributes.until,
    fruitless: attributes.fruitless,
    awaySince: attributes.away_since ?? null,
    isLeased: attributes.held,
    isAbandoned: attributes.abandoned,
    waiting: attributes.waiting ?? null,
    waits: attributes.waits,
    asleep: attributes.asleep,
    borrowed: attributes.borrowed,
    sentAt: attributes.sent ?? null,
    counted: attributes.counted,
    doubts: new Map(
      Object.entries(attributes.doubts).map(([pair, [attempts, since, answered]]) => [
        Number(pair),
        { attempts, since, isAnswered: answered === 1 },
      ]),
    ),
  };
};
