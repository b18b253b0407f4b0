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
}

/** Bytes of one trace in each table with its indexes. */
export type Stored = Readonly<Partial<Record<TableName, number>>>;

/** Assumptions per call: seconds of the 512 MB endpoint and of the authorizer, and bytes logged by both. */
const assumed = { endpointSeconds: 0.06, authorizerSeconds: 0.01, logged: 700 } as const;

/** US dollars for ingesting a million traces. */
export const ingestDollars = ({ calls, read, write }: Ingest): number => {
  const seconds = calls * (assumed.endpointSeconds + assumed.authorizerSeconds);
  return (
    write * prices.writeUnits.STANDARD +
    read * prices.readUnits.STANDARD +
    calls * (prices.gatewayCalls + 2 * prices.functionCalls) +
    seconds * 0.5 * prices.functionTime * million +
    ((calls * assumed.logged * million) / gigabyte) * prices.logs
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
