import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";

/** Whether a write was refused because its condition did not hold. */
export const isConditionFailure = (error: unknown): error is Error & { readonly Item?: Record<string, unknown> } =>
  error instanceof Error && error.name === "ConditionalCheckFailedException";

/** Per action of a cancelled transaction: `None`, `ConditionalCheckFailed`, `TransactionConflict`, ...; null for any other error. */
export const cancellationReasons = (error: unknown): readonly string[] | null =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None")
    : null;

/** Positions of the actions of a transaction whose condition did not hold; none for any other error. */
const positionsRefused = (error: unknown): ReadonlySet<number> =>
  new Set(
    (cancellationReasons(error) ?? []).flatMap((reason, position) =>
      reason === "ConditionalCheckFailed" ? [position] : [],
    ),
  );

const conflicts = new Set(["TransactionConflict", "TransactionConflictException", "TransactionInProgressException"]);

/** Whether two transactions met on an item: nothing was written, the same call may be made again. */
const isConflict = (error: unknown): boolean =>
  (error instanceof Error && conflicts.has(error.name)) ||
  (cancellationReasons(error)?.some((reason) => conflicts.has(reason)) ?? false);

/**
 * Whether a write was lost to another one, which changed what this one rests on or was at it at the same time: nothing was
 * written, and whoever looks again sees what to write now.
 */
export const isLostRace = (error: unknown): boolean =>
  isConditionFailure(error) || positionsRefused(error).size > 0 || isConflict(error);

/** Runs a conditional write. @returns false when its condition did not hold or another transaction was in the way. */
export const holds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (isLostRace(error)) return false;
    throw error;
  }
};

/** Runs a transaction. @returns the positions of the actions whose condition did not hold; none when all was written. */
export const refusedActions = async (transaction: Promise<unknown>): Promise<ReadonlySet<number>> => {
  try {
    await transaction;
    return new Set();
  } catch (error) {
    const refused = positionsRefused(error);
    if (refused.size === 0) throw error;
    return refused;
  }
};

/** Others were faster at every attempt. */
export class Contention extends Error {
  /** @param lost what DynamoDB said at the last attempt, where it was what said so. */
  constructor(message: string, lost: unknown) {
    super(message, { cause: lost });
    this.name = "Contention";
  }
}

/** DynamoDB handed items of a batch back at every attempt. */
export class Overload extends Error {
  constructor() {
    super("DynamoDB did not take all items of a batch.");
    this.name = "Overload";
  }
}

const outages = new Set([
  "InternalServerError",
  "Overload",
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
    (error instanceof Contention && isOutage(error.cause)) ||
    isOutageCode(error) ||
    (cancellationReasons(error)?.some((reason) => outageReasons.has(reason)) ?? false));
