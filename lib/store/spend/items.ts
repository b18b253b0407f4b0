import * as v from "valibot";
import { monthOf, shardCount, type CeilingKind, type Micros, type Takes } from "../../domain/runs/spend.ts";

const day = 24 * 3600;

const runPartition = (project: string, run: string): string => `${project}#run#${run}`;

/** Whose money it is. */
export interface Spender {
  readonly project?: string;
  readonly run?: string;
  readonly organization?: string | null;
}

/** The name of a budget: what its shards' keys begin with. Those of organizations and of the deployment begin with no project. */
export const budgetName = (
  kind: CeilingKind,
  { project = "", run = "", organization }: Spender,
  at: number,
): string => {
  if (kind === "run") return runPartition(project, run);
  const owner = { project, organization: `organization#${organization ?? ""}`, deployment: "deployment" }[kind];
  return `${owner}#month#${monthOf(at)}`;
};

/** Key of a budget's shard. Each is a partition of its own: one partition takes 1,000 write units a second. */
export const shardKey = (budget: string, shard: number) => ({ pk: `${budget}#${shard}`, sk: "shard" });

export const shardKeys = (budget: string) => Array.from({ length: shardCount }, (_, shard) => shardKey(budget, shard));

/** How long an item of this table is kept after it last moved, seconds: what is used of a month outlives it by a year. */
const keptSeconds = 400 * day;

/** When an item of this table may go, epoch seconds. */
export const expiryOf = (at: number): number => Math.ceil(at / 1000) + keptSeconds;

/** When an item last moved that may go then, epoch milliseconds, to the second. */
export const movedAtOf = (expiry: number): number => (expiry - keptSeconds) * 1000;

const micros = v.pipe(v.number(), v.integer());

const shard = v.object({ pk: v.string(), used: micros, reserved: v.optional(micros, 0) });

/** What is used of each shard of a budget, by the items that were found. */
export const usedOf = (budget: string, items: readonly Record<string, unknown>[]): readonly Micros[] => {
  const found = new Map(items.map((item) => v.parse(shard, item)).map(({ pk, used }) => [pk, used]));
  return shardKeys(budget).map(({ pk }) => found.get(pk) ?? 0);
};

/** What of a budget is used, spent or reserved, and what of that is reserved, by the items that were found. */
export const sumsOf = (
  items: readonly Record<string, unknown>[],
): { readonly used: Micros; readonly reserved: Micros } => {
  let [used, reserved] = [0, 0];
  for (const item of items) {
    const found = v.parse(shard, item);
    used += found.used;
    reserved += found.reserved;
  }
  return { used, reserved };
};

/** What a slice holds in a budget. */
interface Book {
  /** What the slice had cost before it held anything there. */
  readonly base: Micros;
  readonly takes: Takes;
  /** What of it the budget's shards count as reserved; absent where they count none. */
  readonly reserved?: Micros | undefined;
}

/** A slice's record: `books` says what it holds in each budget, and how much of `spent` was spent before it held anything there. */
export interface SliceBooks {
  readonly epoch: number;
  /** Counts the changes of this record. */
  readonly version: number;
  readonly spent: Micros;
  readonly books: Readonly<Record<string, Book>>;
}

const sliceBooks = v.object({
  epoch: micros,
  version: micros,
  spent: micros,
  books: v.record(
    v.string(),
    v.object({ base: micros, takes: v.record(v.string(), micros), reserved: v.optional(micros) }),
  ),
});

/** Reads a slice's record. @throws ValiError when the item is none. */
export const readBooks = (item: Record<string, unknown>): SliceBooks => v.parse(sliceBooks, item);

/** Begins the sort keys of slices' records. */
export const bookPrefix = "slice#";

/** The project and run of a partition of records. */
export const runOfBook = (partition: string): { readonly project: string; readonly run: string } => {
  const [project = "", , run = ""] = partition.split("#");
  return { project, run };
};

export const bookKey = (project: string, run: string, slice: string) => ({
  pk: runPartition(project, run),
  sk: `${bookPrefix}${slice}`,
});

/** Partition of a run's records. */
export const bookPartition = runPartition;
