import type { DynamoDBRecord } from "aws-lambda";
import { reconciliationKey } from "../store/access/keys.ts";

const { pk, sk } = reconciliationKey;

/** Filters of the stream's mapping: that the access table is to be looked through. */
export const reconciliationFilters: readonly Record<string, unknown>[] = [
  { eventName: ["INSERT", "MODIFY"], dynamodb: { Keys: { pk: { S: [pk] }, sk: { S: [sk] } } } },
];

/** Whether a record of the access table's stream says that the table is to be looked through. */
export const asksForReconciliation = ({ dynamodb }: DynamoDBRecord): boolean =>
  dynamodb?.Keys?.["pk"]?.S === pk && dynamodb.Keys["sk"]?.S === sk;
