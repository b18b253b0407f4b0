import type { DynamoDBRecord } from "aws-lambda";

/** Prefix of the partition key, and sort key, of an invitation. */
export const invitationItem = { prefix: "invitation#", sort: "invitation" } as const;

const keysOf = ({ dynamodb }: DynamoDBRecord) => [dynamodb?.Keys?.["pk"]?.S, dynamodb?.Keys?.["sk"]?.S] as const;

/** True if a stream record of the access table is about an invitation, and not its answer or a list entry. */
export const isInvitation = (record: DynamoDBRecord): boolean => {
  const [pk, sk] = keysOf(record);
  return pk?.startsWith(invitationItem.prefix) === true && sk === invitationItem.sort;
};

/** Returns the ids of the new invitations in stream records of the access table. */
export const newInvitations = (records: readonly DynamoDBRecord[]): readonly string[] =>
  records
    .filter((record) => record.eventName === "INSERT" && isInvitation(record))
    .flatMap((record) => keysOf(record)[0]?.slice(invitationItem.prefix.length) ?? []);
