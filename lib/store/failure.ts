import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";

/** Others were faster at every attempt; `cause` is what DynamoDB said at the last one, where it was what said so. */
export class Contention extends Error {
  override readonly name = "Contention";
}

/** DynamoDB had no capacity at any attempt: it handed items of a batch back, or cancelled a transaction. */
export class Overload extends Error {
  override readonly name = "Overload";
}

/** Per action of a cancelled transaction: `None`, `ConditionalCheckFailed`, `TransactionConflict`, ...; none for any other error. */
const cancellationReasons = (error: unknown): readonly string[] =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None")
    : [];

/** What an error says has happened. DynamoDB names an exception like the reason of a cancelled transaction. */
const causesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.name.replace(/Exception$/, ""), ...cancellationReasons(error)] : [];

const refused = "ConditionalCheckFailed";

/** Two transactions met on an item. */
const conflicts = ["TransactionConflict", "TransactionInProgress"];

/** A write was forestalled: nothing of it was written. */
const lostRaces = new Set([refused, ...conflicts]);

/** There is no capacity for a request at the moment, or for one item of a transaction: nothing of it was written. */
const throttles = [
  "Overload",
  "ProvisionedThroughputExceeded",
  "RequestLimitExceeded",
  "Throttling",
  "ThrottlingError",
];

/** DynamoDB is not there, or has too much to do at the moment. */
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

/** Whether a write was refused because its condition did not hold. */
export const isConditionFailure = (error: unknown): error is Error & { readonly Item?: Record<string, unknown> } =>
  causesOf(error)[0] === refused;

/**
 * Whether a write was lost to another one, which changed what this one rests on or was at it at the same time: nothing was
 * written, and whoever looks again sees what to write now.
 */
export const isLostRace = (error: unknown): boolean => causesOf(error).some((cause) => lostRaces.has(cause));

/** Whether a request, or an item of a transaction, was throttled. */
export const isThrottled = (error: unknown): boolean => causesOf(error).some((cause) => throttles.includes(cause));

/** Whether a transaction was cancelled because an item of it was throttled. The SDK repeats what is throttled as a whole, but not this. */
export const isCancelledByThrottle = (error: unknown): boolean =>
  cancellationReasons(error).some((reason) => throttles.includes(reason));

/** Runs a conditional write. @returns its reply; null when its condition did not hold. */
export const ifConditionHolds = async <Reply>(write: Promise<Reply>): Promise<Reply | null> => {
  try {
    return await write;
  } catch (error) {
    if (isConditionFailure(error)) return null;
    throw error;
  }
};

/** Runs a conditional write. @returns false when its condition did not hold or another transaction was in the way. */
export const succeeds = async (write: Promise<unknown>): Promise<boolean> => {
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
    const reasons = cancellationReasons(error);
    if (!reasons.includes(refused)) throw error;
    return new Set(reasons.flatMap((reason, position) => (reason === refused ? [position] : [])));
  }
};

/** Whether DynamoDB is away or overloaded, so that the same request may succeed a little later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Error &&
  ([...causesOf(error), "code" in error && error.code].some((cause) => outages.has(cause)) ||
    (error.name === "Contention" && isOutage(error.cause)));
