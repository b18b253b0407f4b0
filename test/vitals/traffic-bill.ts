import type { TableName } from "../../lib/store/table.ts";
import { prices, type TableClass } from "./prices.ts";

const million = 1_000_000;
const gigabyte = 2 ** 30;

/** What one trace takes that is sent. */
export interface Ingest {
  /** Calls of the API: one, or its share of a batch. */
  readonly calls: number;
  /** DynamoDB's units of everything that follows from it. */
  readonly read: number;
  readonly write: number;
}

/** Bytes that one trace takes in each table and its indexes. */
export type Stored = Readonly<Partial<Record<TableName, number>>>;

/** Assumed of a call: seconds of the endpoint's 512 MB and of the authorizer's, bytes logged by both. */
const assumed = { endpointSeconds: 0.06, authorizerSeconds: 0.01, logged: 700 } as const;

/** US dollars for storing a million traces that are sent. */
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

/** How the tables are kept. */
export interface Keeping {
  readonly tableClass: Readonly<Partial<Record<TableName, TableClass>>>;
  /** Tables that cannot be restored. */
  readonly withoutRecovery: readonly TableName[];
}

const everyTable = <Value>(
  stored: Readonly<Partial<Record<TableName, Value>>>,
): readonly (readonly [TableName, Value])[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a record by table the names are tables.
  Object.entries(stored) as unknown as readonly (readonly [TableName, Value])[];

/** US dollars for a million traces kept for a month. */
export const keepingDollars = (stored: Stored, { tableClass, withoutRecovery }: Keeping): number =>
  everyTable(stored).reduce((sum, [table, bytes]) => {
    const gigabytes = (bytes * million) / gigabyte;
    const recovery = withoutRecovery.includes(table) ? 0 : prices.recovery;
    return sum + gigabytes * (prices.storage[tableClass[table] ?? "STANDARD"] + recovery);
  }, 0);

/** Months of keeping, of traces that come at an even pace: those of the first are kept for all, those of the last for one. */
export const traceMonths = (millionsAMonth: number, months: number): number =>
  (millionsAMonth * months * (months + 1)) / 2;

/** What judging one trace by one metric takes. */
export interface Judgement {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly read: number;
  readonly write: number;
}

/** US dollars for a million judgements. @param price of the model, US dollars per million tokens. */
export const judgingDollars = (
  { promptTokens, completionTokens, read, write }: Judgement,
  price: { readonly input: number; readonly output: number },
): { readonly model: number; readonly store: number } => ({
  model: promptTokens * price.input + completionTokens * price.output,
  store: write * prices.writeUnits.STANDARD + read * prices.readUnits.STANDARD,
});
