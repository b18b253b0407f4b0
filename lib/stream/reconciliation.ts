import type { DynamoDBRecord } from "aws-lambda";
import { postponedClientsKey, reconciliationKey } from "../store/access/keys.ts";

const { pk, sk } = reconciliationKey;

/**
 * Filters of the access table's stream, for the Lambda event source mapping: writes of the item that starts a
 * reconciliation (check and repair of API Gateway keys, sign-in keys and expiries), and of the clients that a batch had no time for.
 * Both have the same partition.
 */
export const reconciliationFilters: readonly Record<string, unknown>[] = [
  { eventName: ["INSERT", "MODIFY"], dynamodb: { Keys: { pk: { S: [pk] }, sk: { S: [sk, postponedClientsKey.sk] } } } },
];

/**
 * True if a stream record of the access table starts a reconciliation of that table: a check and repair of API Gateway
 * keys, sign-in keys and expiries.
 */
export const isReconciliationRequest = ({ dynamodb }: DynamoDBRecord): boolean =>
  dynamodb?.Keys?.["pk"]?.S === pk && dynamodb.Keys["sk"]?.S === sk;
