import {
  InternalServerError,
  ProvisionedThroughputExceededException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { defaultBounds } from "../../../lib/aws/call-bounds.ts";
import type { Call } from "./fault-kind.ts";

const about = { message: "injected", $metadata: { httpStatusCode: 400 } };

/** The client's error for a request that times out. */
export const timedOut = (): Error =>
  Object.assign(
    new Error(
      `@smithy/node-http-handler - [ERROR] a request has exceeded the configured ${defaultBounds.reply} ms requestTimeout.`,
    ),
    { name: "TimeoutError", code: "ETIMEDOUT" },
  );

/** The client's error for a connection that breaks in the middle of a successful reply. */
export const resetMidway = (): Error =>
  Object.assign(
    new Error(
      "aborted\n  Deserialization error: to see the raw response, inspect the hidden field {error}.$response on this object.",
    ),
    { code: "ECONNRESET", $metadata: { httpStatusCode: 200 } },
  );

export const serverError = (): Error => new InternalServerError({ ...about, $metadata: { httpStatusCode: 500 } });

/** The error of a request throttled as a whole, which the SDK retries. */
export const throttled = ({ operation }: Call): Error =>
  operation.startsWith("Transact") ? new ThrottlingException(about) : new ProvisionedThroughputExceededException(about);

const cancelled = (codes: readonly string[], words: Readonly<Record<string, string>>): Error =>
  new TransactionCanceledException({
    $metadata: { httpStatusCode: 400 },
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(", ")}]`,
    CancellationReasons: codes.map((Code) => ({ Code, ...(words[Code] && { Message: words[Code] }) })),
  });

/** Items of a transaction; empty for any other request. */
const itemsOf = ({ operation, input }: Call): readonly unknown[] => {
  const items = input["TransactItems"];
  return operation === "TransactWriteItems" && Array.isArray(items) ? items : [];
};

const single = new Set(["PutItem", "UpdateItem", "DeleteItem"]);

/** The error of a write that conflicts with a transaction. */
export const conflict = (call: Call): Error | null => {
  if (single.has(call.operation)) return new TransactionConflictException(about);
  const codes = itemsOf(call).map((_, at, items) => (at === items.length - 1 ? "TransactionConflict" : "None"));
  return codes.length === 0 ? null : cancelled(codes, { TransactionConflict: "Transaction is ongoing for the item" });
};

const throttleWords = {
  ThrottlingError:
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or " +
    "index so please try again shortly.",
  ProvisionedThroughputExceeded: "The level of configured provisioned throughput for the table was exceeded.",
};

/**
 * The error of a transaction with a throttled item: as from on-demand tables, or as from provisioned tables for an odd
 * number of items.
 */
export const throttledItem = (call: Call): Error | null => {
  const items = itemsOf(call);
  const code = items.length % 2 === 0 ? "ThrottlingError" : "ProvisionedThroughputExceeded";
  return items.length === 0
    ? null
    : cancelled(
        items.map((_, at) => (at === 0 ? code : "None")),
        throttleWords,
      );
};
