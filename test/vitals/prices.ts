/** AWS prices without free tier: US dollars, us-east-1, November 2026. */
export const prices = {
  /** Million DynamoDB write request units, by table class. */
  writeUnits: { STANDARD: 0.625, STANDARD_INFREQUENT_ACCESS: 0.78 },
  readUnits: { STANDARD: 0.125, STANDARD_INFREQUENT_ACCESS: 0.155 },
  /** GB stored for a month, by table class. */
  storage: { STANDARD: 0.25, STANDARD_INFREQUENT_ACCESS: 0.1 },
  /** GB of point-in-time recovery for a month. */
  recovery: 0.2,
  /** Million calls of a REST API, and million function invocations. */
  gatewayCalls: 3.5,
  functionCalls: 0.2,
  /** GB-second on arm64. */
  functionTime: 0.0000133334,
  /** GB of ingested logs. */
  logs: 0.5,
  /** GB of logs stored for a month; AWS counts them compressed. */
  logStorage: 0.03,
} as const;

export type TableClass = keyof typeof prices.storage;
