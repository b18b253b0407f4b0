/** Work that a request causes outside of its function. */
export interface RequestWork {
  /** Read units of DynamoDB. */
  readonly readUnits: number;
  /** Write units of DynamoDB. */
  readonly writeUnits: number;
  /** Requests to DynamoDB. */
  readonly lookups: number;
  /** Requests to providers of judge models. */
  readonly providerCalls: number;
  /** Sizes of stored traces that are unpacked, see `sizeOfJson`. */
  readonly unpackedBytes: number;
}

/**
 * Most work of a request whose route has no budget of its own. 100,000 units are all that a client may read in a minute by default, or 100 MB
 * that are written; 20,000 lookups take longer than the 25 seconds of a request; five of the largest traces take 5 s of a whole processor.
 */
export const defaultBudget: RequestWork = {
  readUnits: 100_000,
  writeUnits: 100_000,
  lookups: 20_000,
  providerCalls: 0,
  unpackedBytes: 5 * 32 * 1024 * 1024,
};
