import type { DynamoDBRecord } from "aws-lambda";

const item = "invitation";
const prefix = "invitation#";

/**
 * Filters of the access table's stream, for the Lambda event source mapping: new invitations, without their answers and
 * list entries.
 */
export const newInvitationFilters: readonly Record<string, unknown>[] = [
  { eventName: ["INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix }] }, sk: { S: [item] } } } },
];

/** Returns the id of the new invitation in a stream record of the access table. @throws Error if the record is not about an invitation. */
export const newInvitation = ({ dynamodb }: DynamoDBRecord): string => {
  const [pk, sk] = [dynamodb?.Keys?.["pk"]?.S, dynamodb?.Keys?.["sk"]?.S];
  if (pk?.startsWith(prefix) !== true || sk !== item) throw new Error("The record is not about an invitation.");
  return pk.slice(prefix.length);
};
