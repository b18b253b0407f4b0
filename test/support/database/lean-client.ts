import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { withPlainConfig } from "../../../lib/aws/plain-config.ts";

/** The SDK's middleware that has no effect on a local server. The logger copies every input and output. */
const needlessMiddleware = ["loggerMiddleware", "getUserAgentMiddleware", "recursionDetectionMiddleware"];

/** Removes work without effect on a local server from a client's calls. */
export const leanClient = (client: DynamoDBClient): DynamoDBClient => {
  for (const name of needlessMiddleware) client.middlewareStack.remove(name);
  return withPlainConfig(client);
};

/** Removes retries from a client. */
export const withoutRetries = (client: DynamoDBClient): DynamoDBClient => {
  // Replaced by nothing, as the signer's place is after it.
  const retries = { name: "retryMiddleware", step: "finalizeRequest", priority: "high", override: true } as const;
  client.middlewareStack.add((next) => next, retries);
  return client;
};
