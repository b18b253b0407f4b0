import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";

/** Whether a write was refused because its condition did not hold. */
export const isConditionFailure = (error: unknown): error is Error & { readonly Item?: Record<string, unknown> } =>
  error instanceof Error && error.name === "ConditionalCheckFailedException";

/** Per action of a cancelled transaction: `None`, `ConditionalCheckFailed`, `TransactionConflict`, ...; null for any other error. */
export const cancellationReasons = (error: unknown): readonly string[] | null =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None")
    : null;

const conflicts = new Set(["TransactionConflict", "TransactionConflictException", "TransactionInProgressException"]);

/** Whether two transactions met on an item: nothing was written, the same call may be made again. */
export const isConflict = (error: unknown): boolean =>
  (error instanceof Error && conflicts.has(error.name)) ||
  (cancellationReasons(error)?.some((reason) => conflicts.has(reason)) ?? false);

/** Runs a conditional write. @returns false when its condition did not hold or another transaction was in the way. */
export const holds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    const refused = cancellationReasons(error)?.includes("ConditionalCheckFailed") ?? false;
    if (isConditionFailure(error) || refused || isConflict(error)) return false;
    throw error;
  }
};

const outages = new Set([
  "InternalServerError",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ServiceUnavailable",
  "ThrottlingException",
  "TimeoutError",
  ...conflicts,
]);

const outageReasons = new Set(["ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"]);

const isOutageCode = (error: object): boolean =>
  "code" in error &&
  typeof error.code === "string" &&
  /^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|AI_AGAIN)$/.test(error.code);

/** Whether DynamoDB is away or overloaded, so that the same request may succeed a little later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Error &&
  (outages.has(error.name) ||
    isOutageCode(error) ||
    (cancellationReasons(error)?.some((reason) => outageReasons.has(reason)) ?? false));
