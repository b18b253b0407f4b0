import type { TableName } from "../../lib/dynamo/table.ts";
import { prices, type TableClass } from "./prices.ts";

const million = 1_000_000;
const gigabyte = 2 ** 30;

/** Resources used to ingest one trace. */
export interface Ingest {
  /** API calls: one, or a fraction for a batch. */
  readonly calls: number;
  /** DynamoDB units, including all background work. */
  readonly read: number;
  readonly write: number;
  /** Bytes logged by endpoint and authorizer in a call, and by the stream's worker in a batch. */
  readonly loggedByCall: number;
  readonly loggedByBatch: number;
  /** Batches of the stream's worker: one if each trace comes alone, a fraction if several come within its window of 2 seconds. */
  readonly batches: number;
}

/** Bytes of one trace in each table with its indexes. */
export type Stored = Readonly<Partial<Record<TableName, number>>>;

/** Assumed seconds: of the 512 MB endpoint and of the authorizer per call, and of the 1 GB stream worker per batch. */
const assumed = { endpointSeconds: 0.06, authorizerSeconds: 0.01, workerSeconds: 0.1 } as const;

/** US dollars for the stream's worker of a million traces. Each batch is two calls: its records, and the end of its window. */
export const workerDollars = ({ batches }: Pick<Ingest, "batches">): number =>
  batches * (2 * prices.functionCalls + assumed.workerSeconds * prices.functionTime * million);

/** US dollars for the log lines of a million traces, stored for a month, as if they were not compressed. */
export const logDollars = ({ calls, loggedByCall, batches, loggedByBatch }: Omit<Ingest, "read" | "write">): number =>
  (((calls * loggedByCall + batches * loggedByBatch) * million) / gigabyte) * (prices.logs + prices.logStorage);

/** US dollars for ingesting a million traces. */
export const ingestDollars = (ingest: Ingest): number => {
  const { calls, read, write } = ingest;
  const seconds = calls * (assumed.endpointSeconds + assumed.authorizerSeconds);
  return (
    write * prices.writeUnits.STANDARD +
    read * prices.readUnits.STANDARD +
    calls * (prices.gatewayCalls + 2 * prices.functionCalls) +
    seconds * 0.5 * prices.functionTime * million +
    workerDollars(ingest) +
    logDollars(ingest)
  );
};

/** Storage settings of the tables. */
export interface Keeping {
  readonly tableClass: Readonly<Partial<Record<TableName, TableClass>>>;
  /** Tables without point-in-time recovery. */
  readonly withoutRecovery: readonly TableName[];
}

const everyTable = <Value>(
  bytesByTable: Readonly<Partial<Record<TableName, Value>>>,
): readonly (readonly [TableName, Value])[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a record by table the names are tables.
  Object.entries(bytesByTable) as unknown as readonly (readonly [TableName, Value])[];

/** US dollars for storing a million traces for a month. */
export const keepingDollars = (bytesByTable: Stored, { tableClass, withoutRecovery }: Keeping): number =>
  everyTable(bytesByTable).reduce((sum, [table, bytes]) => {
    const gigabytes = (bytes * million) / gigabyte;
    const recovery = withoutRecovery.includes(table) ? 0 : prices.recovery;
    return sum + gigabytes * (prices.storage[tableClass[table] ?? "STANDARD"] + recovery);
  }, 0);

/** Trace-months of storage for traces arriving at an even pace and kept until the end. */
export const traceMonths = (millionsAMonth: number, months: number): number =>
  (millionsAMonth * months * (months + 1)) / 2;

/** Resources used to judge one trace by one metric. */
export interface Judgement {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly read: number;
  readonly write: number;
}

/** US dollars for a million judgements. @param price the model's price in US dollars per million tokens. */
export const judgingDollars = (
  { promptTokens, completionTokens, read, write }: Judgement,
  price: { readonly input: number; readonly output: number },
): { readonly model: number; readonly store: number } => ({
  model: promptTokens * price.input + completionTokens * price.output,
  store: write * prices.writeUnits.STANDARD + read * prices.readUnits.STANDARD,
});
