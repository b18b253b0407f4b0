/** AWS's prices without free amounts: US dollars, us-east-1, November 2026. */
export const prices = {
  /** A million requests to DynamoDB of one unit, by table class. */
  writeUnits: { STANDARD: 0.625, STANDARD_INFREQUENT_ACCESS: 0.78 },
  readUnits: { STANDARD: 0.125, STANDARD_INFREQUENT_ACCESS: 0.155 },
  /** A GB kept for a month. */
  storage: { STANDARD: 0.25, STANDARD_INFREQUENT_ACCESS: 0.1 },
  /** A GB that can be restored, for a month. */
  recovery: 0.2,
  /** A million calls of a REST API, and of a function. */
  gatewayCalls: 3.5,
  functionCalls: 0.2,
  /** A GB-second on arm64. */
  functionTime: 0.0000133334,
  /** A GB of logs taken in. */
  logs: 0.5,
} as const;

export type TableClass = keyof typeof prices.storage;
