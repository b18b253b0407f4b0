/**
 * The DynamoDB tables as data: the infrastructure creates them from these definitions, and stores use their names.
 *
 * Every table has a partition key `pk` and, if `sort` is true, a sort key `sk` (strings). Keys of project data start
 * with the project id.
 */

/** DynamoDB actions that a function can be granted on a table and its indexes. */
export type TableAction =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "BatchWriteItem"
  | "ConditionCheckItem"
  /**
   * Granted only to the sweeper (the scheduled maintenance function), and on `access` to the reconciliation of API
   * Gateway keys: no other function reads a whole table.
   */
  | "Scan";

interface IndexDefinition {
  readonly partition: string;
  readonly sort: string;
  /** Attributes that the index contains beside its keys. */
  readonly projection: "ALL" | "KEYS_ONLY";
}

/** Keys, indexes, expiry and stream of a DynamoDB table. */
export interface TableDefinition {
  readonly sort: boolean;
  /** True if the keys of the table and of its indexes are bytes instead of strings. */
  readonly binaryKeys?: true;
  /** Attribute with the expiry in epoch seconds; every read filters expired items, too. */
  readonly ttl?: "ttl";
  readonly stream?: true;
  readonly indexes?: Readonly<Record<string, IndexDefinition>>;
}

export const tables = {
  /**
   * Trace documents. `project#trace` / `row`: the pointer to the trace's row, with the first part of the document;
   * `part#<id>`: the other parts; `marks#<id>`: a span-id filter, hashes of the spans that the trace has. `w`: the
   * hour in which the item was written.
   */
  bodies: { sort: true, ttl: "ttl" },
  /**
   * Trace rows. Project and UTC day, on a busy day with a partition's number / start and trace: the packed list row;
   * `v`: its version; `c`: the version of its last change that a judge can see, if lower; `f` if pieces of its document
   * wait to be merged. Project / 0 and year: the days that have rows, and those that are busy.
   */
  rows: {
    sort: true,
    binaryKeys: true,
    ttl: "ttl",
    stream: true,
    indexes: { "by-session": { partition: "s", sort: "sk", projection: "ALL" } },
  },
  /**
   * Scores. `project#score#<id>` / `score`, and its copy under `project#trace#<id>` / `<created_at>#<id>`; likewise
   * `session-score` and `session`. The stream feeds the score statistics.
   */
  scores: {
    sort: true,
    ttl: "ttl",
    stream: true,
    indexes: {
      /** All scores by time, spread over several partitions; copies of failed scores in partitions of their own. */
      "by-time": { partition: "time_key", sort: "order_key", projection: "ALL" },
      "by-run": { partition: "run_key", sort: "order_key", projection: "ALL" },
    },
  },
  /**
   * Runs. `project#run#<id>` / `run`, `slice#<number>`, `held#<number>#<pair>`: first verdicts of a cascade, and `due`: the instant before which the sweeper (the scheduled
   * maintenance function) can skip the run. `organization#turn` / `place` and `project#<id>`, `project#turn` /
   * `run#<id>`: places in the rotations of fair-share turns; `turn`: the last turn of a project or organization without
   * open runs. `project#event#<id>` / `event`, for shared ceilings `event#<id>`: events to announce. The stream is the outbox of runs and
   * events.
   */
  runs: {
    sort: true,
    ttl: "ttl",
    stream: true,
    indexes: {
      "by-created": { partition: "list_key", sort: "order_key", projection: "ALL" },
      /** Runs started by a monitor (sparse). */
      "by-monitor": { partition: "monitor_key", sort: "order_key", projection: "ALL" },
      /**
       * Runs that have not ended, read by the sweeper, the scheduled maintenance function; failed runs of a project
       * and target type (sparse).
       */
      open: { partition: "open_key", sort: "order_key", projection: "KEYS_ONLY" },
      /**
       * Items `due` of runs, by the instant from which the run must be checked; places of organizations, projects and
       * runs, by the instant of their last or next fair-share turn (sparse).
       */
      due: { partition: "due_key", sort: "due_at", projection: "KEYS_ONLY" },
    },
  },
  /**
   * Monitors and custom metrics. `project#monitor#<id>` / `monitor`, `firing#<instant>`, and `marks#<name>`: change
   * markers of a snapshot. `project#metrics` / `metric#<name>`, `version#<name>#<number>` and `count`: the project's
   * custom metrics. `project#alerts` / `rule#<id>`, `state#<id>`, `history#<id>#<window end>` and `count`: alert rules.
   */
  monitors: {
    sort: true,
    ttl: "ttl",
    indexes: {
      "by-created": { partition: "list_key", sort: "order_key", projection: "ALL" },
      /** Monitors and alert rules by the time at which the sweeper (the scheduled maintenance function) checks them next (sparse). */
      due: { partition: "due_key", sort: "due_at", projection: "KEYS_ONLY" },
    },
  },
  /**
   * Derived data. `project#<counter>` / `<counter part>#<shard>`: partial sums, folded from the streams exactly once.
   * `project#newest-trace#<id>` / `<incarnation>#<name's hash>`, `project#newest-session#<id>` / `#<name's hash>`: the
   * newest score of a name. `project#segments` / `<session>` and `<session>#<first row's key>`: sums of segments of
   * large sessions. `project#alert-sums` / `<rule>#<generation>#<window end>#<shard>`: sums of alert rules.
   * `project#lake` / `<day>`: the manifest of a day's files; `project#lake-changes` / `<instant>`: a mark of what has changed since; `project#lake-snapshots` / `<day>`: a
   * snapshot for exports; `lake-due` / `<instant>#<project>#<day>`: a day that has to be written.
   */
  aggregates: { sort: true, ttl: "ttl" },
  /**
   * Organizations, projects, API keys, users, memberships, invitations. The stream is the outbox of invitations, and
   * creates and removes gateway keys: those are stored under `client#<client>` / `gateway-key`, their number under
   * `gateway-keys` / `count`, the time of the next reconciliation under `gateway-keys` / `reconcile`, and clients at the end of
   * the stream under `gateway-keys` / `postponed`.
   */
  access: { sort: true, ttl: "ttl", stream: true },
  /**
   * Budgets of judging: `<budget>#<shard>` / `shard`, where a budget is `project#run#<id>`, `project#month#<month>`
   * or `deployment#month#<month>`; and the ledger entry of each slice, `project#run#<id>` / `slice#<id>`.
   */
  spend: { sort: true, ttl: "ttl" },
  /** `<client>#<route>`: exact counters of the rate limits. `previews#<organization>#<day>` and `preview#<place>`: limits of previews. */
  limits: { sort: false, ttl: "ttl" },
} as const satisfies Record<string, TableDefinition>;

/** Logical name of a DynamoDB table. */
export type TableName = keyof typeof tables;

/** Partition keys of the table `access` by kind, as patterns of IAM conditions. */
export const accessPartitions = {
  organization: "organization#*",
  project: "project#*",
  user: "user#*",
  /** API keys by hash. */
  key: "key#*",
  keyExpiry: "key-expiry#*",
  invitation: "invitation#*",
  email: "email#*",
  cliCode: "cli-code#*",
  audit: "audit#*",
  deletion: "deletion#*",
  openDeletions: "open-deletions",
  /** API clients with a gateway key, and the counters of these keys. */
  client: "client#*",
  gatewayKeys: "gateway-keys",
  /** Positions of background workers. */
  storageScan: "storage-scan",
  reconciliation: "access-reconciliation",
} as const;

type AccessPartition = keyof typeof accessPartitions;

type AccessAction = Exclude<TableAction, "Scan">;

/** Actions granted on the table `access`, each with the kinds of its partitions. */
export type AccessGrants = Readonly<Partial<Record<AccessAction, readonly AccessPartition[]>>>;

/** Actions granted to a function, by table. */
export type Grants = Readonly<
  Partial<Record<Exclude<TableName, "access">, readonly TableAction[]>> & { access?: AccessGrants }
>;

/** Returns the actions that are granted on some partitions of the table `access`. */
export const accessActions = (grants: AccessGrants): readonly AccessAction[] =>
  Object.keys(grants).filter((action): action is AccessAction => Object.hasOwn(grants, action));

/** Returns the actions that are granted on a table. */
export const grantedActions = (grants: Grants, name: TableName): readonly TableAction[] =>
  name === "access" ? accessActions(grants.access ?? {}) : (grants[name] ?? []);

/** Returns the name of the environment variable with a table's physical name. */
export const tableVariable = (table: TableName): string => `TABLE_${table.toUpperCase()}`;

const isTableName = (name: string): name is TableName => Object.hasOwn(tables, name);

export const tableNames: readonly TableName[] = Object.keys(tables).filter(isTableName);
