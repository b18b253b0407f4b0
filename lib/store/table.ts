/**
 * The tables as data: infrastructure creates them from this, stores name their attributes by it.
 *
 * Every table has a partition key `pk` and, where given, a sort key `sk` (strings). Data keys start with the project.
 */

/** DynamoDB actions a function may be granted on a table and its indexes. */
export type TableAction =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "BatchWriteItem"
  | "ConditionCheckItem"
  /** The sweeper's, and of `access` the reconciliation's: nobody else reads a table whole. */
  | "Scan";

interface IndexDefinition {
  readonly partition: string;
  readonly sort: string;
  /** What the index holds beside the keys: everything, nothing, or these attributes. */
  readonly projection: "ALL" | "KEYS_ONLY" | readonly string[];
}

export interface TableDefinition {
  readonly sort: boolean;
  /** Keys are bytes rather than text, those of its indexes too. */
  readonly binaryKeys?: true;
  /** Attribute with the expiry in epoch seconds; expired items are also filtered on every read. */
  readonly ttl?: "ttl";
  readonly stream?: true;
  readonly indexes?: Readonly<Record<string, IndexDefinition>>;
}

export const tables = {
  /**
   * `project#trace` / `row`: the pointer to the trace's row, with the first part of the document; `part#<id>`: the others;
   * `marks#<id>`: which spans it has.
   * `w`: when it was written.
   */
  bodies: { sort: true, ttl: "ttl" },
  /**
   * Project and UTC day / start and trace: the packed list row; `v`: its version, `c`: that since which a judge would see the same,
   * where it is another; `f` where pieces of its document are to be put together.
   * Project / 0: the days in use.
   */
  rows: {
    sort: true,
    binaryKeys: true,
    ttl: "ttl",
    stream: true,
    indexes: { "by-session": { partition: "s", sort: "sk", projection: "ALL" } },
  },
  /**
   * `project#score#<id>` / `score`, and its copy under `project#trace#<id>` / `<created_at>#<id>`; the same for
   * `session-score` and `session`. The stream feeds the statistics.
   */
  scores: {
    sort: true,
    ttl: "ttl",
    stream: true,
    indexes: {
      /** Spread over some partitions. */
      "by-time": { partition: "time_key", sort: "order_key", projection: "ALL" },
      /** What previous versions have written, until it is moved. */
      "by-creation": {
        partition: "list_key",
        sort: "order_key",
        projection: ["n", "st", "so", "dt", "e", "x", "ttl"],
      },
      "by-run": { partition: "run_key", sort: "order_key", projection: "ALL" },
    },
  },
  /**
   * `project#run#<id>` / `run`, `slice#<number>`, and `due` where the sweeper need not look at the run before some instant.
   * `project#turn` / `turn`: when a judge last began to work for a project, while others waited. The stream is the outbox of
   * runs.
   */
  runs: {
    sort: true,
    ttl: "ttl",
    stream: true,
    indexes: {
      "by-created": { partition: "list_key", sort: "order_key", projection: "ALL" },
      /** Sparse: runs of monitors. */
      "by-monitor": { partition: "monitor_key", sort: "order_key", projection: "ALL" },
      /** Sparse: runs that have not ended, for the sweeper. */
      open: { partition: "open_key", sort: "order_key", projection: "KEYS_ONLY" },
      /** Sparse: the items `due`, by their instants. */
      due: { partition: "due_key", sort: "due_at", projection: "KEYS_ONLY" },
    },
  },
  /**
   * `project#monitor#<id>` / `monitor`, `firing#<instant>`, and `marks#<name>`: what a snapshot saw.
   * `project#metrics` / `metric#<name>`, `version#<name>#<number>` and `count`: metrics of the project's own.
   */
  monitors: {
    sort: true,
    ttl: "ttl",
    indexes: {
      "by-created": { partition: "list_key", sort: "order_key", projection: "ALL" },
      /** Sparse: monitors by the time at which the sweeper has to look at them. */
      due: { partition: "due_key", sort: "due_at", projection: "KEYS_ONLY" },
    },
  },
  /**
   * `project#<counter>` / `<counter part>#<shard>`: partial sums, folded from the streams exactly once.
   * `project#newest-trace#<id>` / `<incarnation>#<name's hash>`, `project#newest-session#<id>` / `#<name's hash>`: the newest
   * score of a name.
   * `project#segments` / `<session>` and `<session>#<place>`: sums of large sessions.
   */
  aggregates: { sort: true, ttl: "ttl" },
  /**
   * Organizations, projects, API keys, users, memberships, invitations. The stream is the outbox of invitations. It also
   * makes and removes gateway keys, noted under `client#<client>` / `gateway-key`; their number is under `gateway-keys` /
   * `count`, and under `gateway-keys` / `reconcile` when the table is to be looked through again.
   */
  access: { sort: true, ttl: "ttl", stream: true },
  /**
   * Budgets of judging: `<budget>#<shard>` / `shard`, a budget being `project#run#<id>`, `project#month#<month>` or
   * `deployment#month#<month>`; and what each slice holds of them, `project#run#<id>` / `slice#<id>`.
   */
  spend: { sort: true, ttl: "ttl" },
  /** `<client>#<route>`: exact counters of the rate limits. */
  limits: { sort: false, ttl: "ttl" },
} as const satisfies Record<string, TableDefinition>;

export type TableName = keyof typeof tables;

/** What a function may do on which table. */
export type Grants = Partial<Record<TableName, readonly TableAction[]>>;

/** The environment variable that carries a table's physical name. */
export const tableVariable = (table: TableName): string => `TABLE_${table.toUpperCase()}`;

const isTableName = (name: string): name is TableName => Object.hasOwn(tables, name);

/** The names of all tables. */
export const tableNames: readonly TableName[] = Object.keys(tables).filter(isTableName);
