import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import {
  apiKeyEntryKey,
  apiKeyKey,
  memberKey,
  membershipKey,
  postponedClientsKey,
} from "../../../lib/store/access/keys.ts";
import { clientChange, clientChangeFilters, clientOfItem, isPostponement } from "../../../lib/stream/client-change.ts";
import { isReconciliationRequest, reconciliationFilters } from "../../../lib/stream/reconciliation.ts";

type Image = NonNullable<NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"]>;

const record = (
  eventName: "INSERT" | "MODIFY" | "REMOVE",
  pk: string,
  sk: string,
  image: Image = {},
): DynamoDBRecord => ({
  eventName,
  dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, [eventName === "REMOVE" ? "OldImage" : "NewImage"]: image },
});

const key = (eventName: "INSERT" | "MODIFY" | "REMOVE", revoked = false): DynamoDBRecord =>
  record(eventName, "key#0123", "key", {
    id: { S: "k" },
    organization: { S: "o" },
    revoked_at: revoked ? { S: "2026-11-21T09:00:00+00:00" } : { NULL: true },
  });

const insertRecord = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => record("INSERT", pk, sk);

test("stored keys and members have the attributes that the filters read", () => {
  expect([apiKeyKey("0123"), memberKey("o", "u")]).toEqual([
    { pk: "key#0123", sk: "key" },
    { pk: "organization#o", sk: "member#u" },
  ]);
});

test.each([
  ["a new API key", key("INSERT"), { client: "key#k", organization: "o", isHeld: true }],
  ["a revoked one", key("MODIFY", true), { client: "key#k", organization: "o", isHeld: false }],
  [
    "one that has expired",
    record("REMOVE", "key-expiry#k", "key-expiry", { organization: { S: "o" } }),
    { client: "key#k", organization: "o", isHeld: false },
  ],
  ["a removed one", key("REMOVE"), { client: "key#k", organization: "o", isHeld: false }],
  [
    "a new member",
    record("INSERT", "organization#o", "member#u"),
    { client: "user#u", organization: "o", isHeld: true },
  ],
  [
    "one who left",
    record("REMOVE", "organization#o", "member#u"),
    { client: "user#u", organization: "o", isHeld: false },
  ],
])("%s passes the filters and is parsed", (_, streamRecord, change) => {
  expect(passesFilters(streamRecord, clientChangeFilters)).toBe(true);
  expect(clientChange(streamRecord)).toEqual(change);
});

test.each([
  ["a use of a key", key("MODIFY")],
  ["a new role of a member", record("MODIFY", "organization#o", "member#u")],
  ["the user's copy of a membership", insertRecord(membershipKey("o", "u"))],
  ["a key's entry in its organization", insertRecord(apiKeyEntryKey("o", "k"))],
  ["that a key will expire", record("INSERT", "key-expiry#k", "key-expiry")],
  ["a project", record("INSERT", "project#p", "project")],
  ["a project's name", record("INSERT", "organization#o", "project#default")],
  ["a client's own item", record("INSERT", "client#key#k", "gateway-key")],
  ["the number of keys", record("MODIFY", "gateway-keys", "count")],
])("%s does not wake the worker", (_, streamRecord) => {
  expect(passesFilters(streamRecord, [...clientChangeFilters, ...reconciliationFilters])).toBe(false);
});

test.each(["INSERT", "MODIFY"] as const)(
  "the call to reconcile (%s) is distinguished from changes of clients",
  (eventName) => {
    const call = record(eventName, "gateway-keys", "reconcile");

    expect([passesFilters(call, reconciliationFilters), passesFilters(call, clientChangeFilters)]).toEqual([
      true,
      false,
    ]);
    expect([call, key("INSERT"), {}].map(isReconciliationRequest)).toEqual([true, false, false]);
  },
);

test.each(["INSERT", "MODIFY"] as const)(
  "postponed clients (%s) are distinguished from the call to reconcile",
  (eventName) => {
    const { pk, sk } = postponedClientsKey;
    const postponement = record(eventName, pk, sk);

    expect(passesFilters(postponement, reconciliationFilters)).toBe(true);
    expect(isReconciliationRequest(postponement)).toBe(false);
    expect([postponement, key("INSERT"), record("MODIFY", "gateway-keys", "reconcile")].map(isPostponement)).toEqual([
      true,
      false,
      false,
    ]);
  },
);

test.each([
  ["of a project", record("INSERT", "project#p", "project")],
  ["of a key without an id", record("INSERT", "key#0123", "key")],
  ["without keys", { eventName: "INSERT" } satisfies DynamoDBRecord],
])("a record %s is refused", (_, streamRecord) => {
  expect(() => clientChange(streamRecord)).toThrow("The record is not about an API client.");
});

test.each([
  ["before it expires", 999, true],
  ["when it expires", 1000, false],
])("an API key is held until it expires: %s", (_when, now, isHeld) => {
  const item = { pk: "key#0123", sk: "key", id: "k", organization: "o", expires_at: 1000 };

  expect(clientOfItem(item, now)).toMatchObject({ isHeld });
});
