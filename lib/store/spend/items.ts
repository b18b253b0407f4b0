import * as v from "valibot";
import {
  monthOf,
  shardCount,
  type CeilingKind,
  type Micros,
  type ShardReservations,
} from "../../domain/runs/budget.ts";

const day = 24 * 3600;

const runPartition = (project: string, run: string): string => `${project}#run#${run}`;

/** The run, project and organization that a budget's spending is charged to. */
export interface BudgetOwner {
  readonly project?: string;
  readonly run?: string;
  readonly organization?: string | null;
}

/**
 * Name of a budget: the prefix of its shards' keys. The names of organizations' and the deployment's budgets contain
 * no project.
 */
export const budgetName = (
  kind: CeilingKind,
  { project = "", run = "", organization }: BudgetOwner,
  at: number,
): string => {
  if (kind === "run") return runPartition(project, run);
  const owner = { project, organization: `organization#${organization ?? ""}`, deployment: "deployment" }[kind];
  return `${owner}#month#${monthOf(at)}`;
};

/**
 * Key of a budget's shard. Each shard is a partition of its own, because a partition takes 1,000 write units a
 * second.
 */
export const shardKey = (budget: string, shard: number) => ({ pk: `${budget}#${shard}`, sk: "shard" });

/** Keys of all shards of a budget. */
export const shardKeys = (budget: string) => Array.from({ length: shardCount }, (_, shard) => shardKey(budget, shard));

/**
 * Seconds that an item of the spend table is stored after its last change: a month's spending is available for a
 * year.
 */
const retentionSeconds = 400 * day;

/** Expiry (TTL, epoch seconds) of an item of the spend table that changes at `at`, epoch milliseconds. */
export const expiryOf = (at: number): number => Math.ceil(at / 1000) + retentionSeconds;

/** Time of an item's last change, computed from its expiry: epoch milliseconds, rounded up to a second. */
export const lastChangeOf = (expiry: number): number => (expiry - retentionSeconds) * 1000;

const micros = v.pipe(v.number(), v.integer());

const shardSchema = v.object({
  pk: v.string(),
  used: micros,
  reserved: v.optional(micros, 0),
  settled: v.optional(micros, 0),
});

/**
 * Returns the micro-dollars used (spent or reserved) of each shard of a budget; 0 for a shard that is not among
 * `items`.
 */
export const usedByShard = (budget: string, items: readonly Record<string, unknown>[]): readonly Micros[] => {
  const usedByKey = new Map(items.map((item) => v.parse(shardSchema, item)).map(({ pk, used }) => [pk, used]));
  return shardKeys(budget).map(({ pk }) => usedByKey.get(pk) ?? 0);
};

/**
 * Sums the shards of a budget: micro-dollars used (spent or reserved), the reserved part of them, and the settled cost of all
 * judge calls, whether there was a ceiling or not.
 */
export const budgetSums = (
  items: readonly Record<string, unknown>[],
): { readonly used: Micros; readonly reserved: Micros; readonly settled: Micros } => {
  let [used, reserved, settled] = [0, 0, 0];
  for (const item of items) {
    const parsed = v.parse(shardSchema, item);
    used += parsed.used;
    reserved += parsed.reserved;
    settled += parsed.settled;
  }
  return { used, reserved, settled };
};

/** Money of one budget that a slice has spent or reserved. */
interface Holding {
  /**
   * Micro-dollars that the slice had cost before its first reservation in this budget, minus what its dead workers
   * forfeited there; may be negative.
   */
  readonly base: Micros;
  readonly takes: ShardReservations;
  /** Reserved part of the holding, as counted by the budget's shards; absent where they count none. */
  readonly reserved?: Micros | undefined;
}

/**
 * A slice's entry in the spending ledger. `books` is its holding in each budget, by budget name; `spent` is its cost
 * so far.
 */
export interface LedgerEntry {
  readonly epoch: number;
  /** Increases with each change of the entry: the optimistic lock. */
  readonly version: number;
  readonly spent: Micros;
  /** Micro-dollars that workers reserved and did not settle before others took the slice; counted as spent. */
  readonly forfeit: Micros;
  /** Micro-dollars that the calls of a worker without a ceiling cost at most that may be under way; absent if none are. */
  readonly calls?: Micros | undefined;
  /**
   * Micro-dollars that the calls of a worker under a ceiling cost at most that are not committed; absent if nothing is known of them:
   * then they may have cost all that is reserved.
   */
  readonly begun?: Micros | undefined;
  readonly books: Readonly<Record<string, Holding>>;
}

const ledgerEntrySchema = v.object({
  epoch: micros,
  version: micros,
  spent: micros,
  forfeit: v.optional(micros, 0),
  calls: v.optional(micros),
  begun: v.optional(micros),
  books: v.record(
    v.string(),
    v.object({ base: micros, takes: v.record(v.string(), micros), reserved: v.optional(micros) }),
  ),
});

/** Parses a slice's ledger entry. @throws ValiError when the item is not a ledger entry. */
export const parseLedgerEntry = (item: Record<string, unknown>): LedgerEntry => v.parse(ledgerEntrySchema, item);

/** Prefix of the sort keys of slices' ledger entries. */
export const ledgerEntryPrefix = "slice#";

/** Returns the project and run in the partition key of ledger entries. */
export const runOfLedger = (partition: string): { readonly project: string; readonly run: string } => {
  const [project = "", , run = ""] = partition.split("#");
  return { project, run };
};

export const ledgerEntryKey = (project: string, run: string, slice: string) => ({
  pk: runPartition(project, run),
  sk: `${ledgerEntryPrefix}${slice}`,
});

/** Partition of a run's ledger entries. */
export const ledgerPartition = runPartition;
