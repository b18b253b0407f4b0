import type { DynamoDBRecord } from "aws-lambda";

/** That a client (see `clientOf`) came to an organization, or that it left. */
export interface ClientChange {
  readonly client: string;
  readonly organization: string;
  readonly held: boolean;
}

const keyItem = "key";
const memberPrefix = "member#";

/** Filters of the stream's mapping: new and removed API keys and memberships, and keys that are revoked. */
export const clientChangeFilters: readonly Record<string, unknown>[] = [
  { eventName: ["INSERT", "REMOVE"], dynamodb: { Keys: { pk: { S: [{ prefix: "key#" }] }, sk: { S: [keyItem] } } } },
  {
    eventName: ["MODIFY"],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: "key#" }] }, sk: { S: [keyItem] } },
      NewImage: { revoked_at: { S: [{ exists: true }] } },
    },
  },
  {
    eventName: ["INSERT", "REMOVE"],
    dynamodb: { Keys: { pk: { S: [{ prefix: "organization#" }] }, sk: { S: [{ prefix: memberPrefix }] } } },
  },
];

/** What a record of the access table's stream says of a client. @throws when it is about neither key nor membership. */
export const clientChange = ({ eventName, dynamodb }: DynamoDBRecord): ClientChange => {
  const [pk, sk] = [dynamodb?.Keys?.["pk"]?.S, dynamodb?.Keys?.["sk"]?.S];
  const image = dynamodb?.NewImage ?? dynamodb?.OldImage;
  const there = eventName !== "REMOVE";
  if (pk?.startsWith("key#") && sk === keyItem) {
    const [id, organization] = [image?.["id"]?.S, image?.["organization"]?.S];
    if (id !== undefined && organization !== undefined) {
      return { client: `key#${id}`, organization, held: there && image?.["revoked_at"]?.S === undefined };
    }
  }
  const [kind, organization] = pk?.split("#") ?? [];
  if (kind === "organization" && organization !== undefined && sk?.startsWith(memberPrefix)) {
    return { client: `user#${sk.slice(memberPrefix.length)}`, organization, held: there };
  }
  throw new Error("The record is of no client.");
};
