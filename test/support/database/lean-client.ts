import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { withoutCopies } from "../../../lib/aws/without-copies.ts";

/** The SDK's middleware that has no effect on a local server. */
const needlessMiddleware = ["getUserAgentMiddleware", "recursionDetectionMiddleware"];

/** Removes work without effect on a local server from a client's calls. */
export const leanClient = (client: DynamoDBClient): DynamoDBClient => {
  for (const name of needlessMiddleware) client.middlewareStack.remove(name);
  return withoutCopies(client);
};

/** Removes retries from a client. */
export const withoutRetries = (client: DynamoDBClient): DynamoDBClient => {
  // Replaced by nothing, as the signer's place is after it.
  const retries = { name: "retryMiddleware", step: "finalizeRequest", priority: "high", override: true } as const;
  client.middlewareStack.add((next) => next, retries);
  return client;
};
