import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { deadlineErrorName } from "../aws/request-deadline.ts";

/**
 * Thrown when other writers won the race at every attempt; `cause` is DynamoDB's last error, if an error ended the
 * last attempt.
 */
export class Contention extends Error {
  override readonly name = "Contention";
}

/**
 * Thrown when DynamoDB had no capacity at any attempt: it returned batch items as unprocessed, or throttled a query
 * or an item of a transaction.
 */
export class Overload extends Error {
  override readonly name = "Overload";
}

/**
 * Returns the cancellation code of each action of a transaction: `None`, `ConditionalCheckFailed`,
 * `TransactionConflict`, ...; empty for any other error.
 */
const cancellationReasons = (error: unknown): readonly string[] =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None")
    : [];

/** Returns the causes named by an error. DynamoDB names an exception like the cancellation code of a transaction. */
const causesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.name.replace(/Exception$/, ""), ...cancellationReasons(error)] : [];

const conditionFailed = "ConditionalCheckFailed";

/** Codes of a conflict between two transactions at one item. */
const conflicts = ["TransactionConflict", "TransactionInProgress"];

/** Codes of a write that was refused because another writer was faster: nothing of it was written. */
const lostRaces = new Set([conditionFailed, ...conflicts]);

/** Codes of a throttled request, or of a throttled item of a transaction: nothing was written. */
const throttles = [
  "Overload",
  "ProvisionedThroughputExceeded",
  "RequestLimitExceeded",
  "Throttling",
  "ThrottlingError",
];

/** Codes of a DynamoDB that is unreachable or overloaded. */
const outages = new Set<unknown>([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "InternalServerError",
  "ServiceUnavailable",
  "TimeoutError",
  ...throttles,
  ...conflicts,
]);

/** True if a write failed because its condition was not met. */
export const isConditionFailure = (error: unknown): error is Error & { readonly Item?: Record<string, unknown> } =>
  causesOf(error)[0] === conditionFailed;

/**
 * True if a write lost to another one, which changed the item first or was writing it at the same time. Nothing was
 * written, and a new attempt that reads first may succeed.
 */
export const isLostRace = (error: unknown): boolean => causesOf(error).some((cause) => lostRaces.has(cause));

/** True if a request, or an item of a transaction, was throttled. */
export const isThrottled = (error: unknown): boolean => causesOf(error).some((cause) => throttles.includes(cause));

/**
 * True if a transaction was cancelled because one of its items was throttled. The SDK retries throttled requests, but
 * not these.
 */
export const isCancelledByThrottle = (error: unknown): boolean =>
  cancellationReasons(error).some((reason) => throttles.includes(reason));

/** Waits for a conditional write. @returns its reply; null if its condition was not met. */
export const ifConditionHolds = async <Reply>(write: Promise<Reply>): Promise<Reply | null> => {
  try {
    return await write;
  } catch (error) {
    if (isConditionFailure(error)) return null;
    throw error;
  }
};

/**
 * Waits for a conditional write.
 *
 * @returns false if its condition was not met or another transaction was in progress at one of its items.
 */
export const succeeds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (isLostRace(error)) return false;
    throw error;
  }
};

/**
 * Waits for a transaction.
 *
 * @returns the indexes of the actions whose condition was not met; empty if all were written.
 */
export const failedConditions = async (transaction: Promise<unknown>): Promise<ReadonlySet<number>> => {
  try {
    await transaction;
    return new Set();
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (!reasons.includes(conditionFailed)) throw error;
    return new Set(reasons.flatMap((reason, position) => (reason === conditionFailed ? [position] : [])));
  }
};

/** True if the deadline of a request has ended one of its calls, or kept it from being sent. */
export const isPastDeadline = (error: unknown): boolean => causesOf(error).includes(deadlineErrorName);

/** True if DynamoDB is unreachable or overloaded, so that the same request may succeed later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Error &&
  ([...causesOf(error), "code" in error && error.code].some((cause) => outages.has(cause)) ||
    (error.name === "Contention" && isOutage(error.cause)));
