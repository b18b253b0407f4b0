import type { DynamoDBRecord } from "aws-lambda";

const item = "invitation";
const prefix = "invitation#";

/** Filters of the stream's mapping: invitations that are made, neither their answers nor the lists they stand in. */
export const newInvitationFilters: readonly Record<string, unknown>[] = [
  { eventName: ["INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix }] }, sk: { S: [item] } } } },
];

/** The id of the invitation that a record of the access table's stream is about. @throws when it is about none. */
export const newInvitation = ({ dynamodb }: DynamoDBRecord): string => {
  const [pk, sk] = [dynamodb?.Keys?.["pk"]?.S, dynamodb?.Keys?.["sk"]?.S];
  if (pk?.startsWith(prefix) !== true || sk !== item) throw new Error("The record is of no invitation.");
  return pk.slice(prefix.length);
};
