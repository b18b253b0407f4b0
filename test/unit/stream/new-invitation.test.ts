import { expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import {
  type AccessKey,
  invitationEntryKey,
  invitationKey,
  pendingInvitationKey,
} from "../../../lib/store/access/keys.ts";
import { clientChangeFilters } from "../../../lib/stream/client-change.ts";
import { isInvitation, newInvitations } from "../../../lib/stream/new-invitation.ts";

const record = (eventName: "INSERT" | "MODIFY" | "REMOVE", { pk, sk }: AccessKey) => ({
  eventName,
  dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } },
});

test("a new invitation passes the filters and is parsed", () => {
  const streamRecord = record("INSERT", invitationKey("i"));

  expect(passesFilters(streamRecord, clientChangeFilters)).toBe(true);
  expect([isInvitation(streamRecord), newInvitations([streamRecord])]).toEqual([true, ["i"]]);
});

test.each([
  ["an answer to an invitation", record("MODIFY", invitationKey("i"))],
  ["an organization's list of invitations", record("INSERT", invitationEntryKey("o", "i"))],
  ["an address's list of invitations", record("INSERT", pendingInvitationKey("bob@example.com", "o"))],
])("%s does not wake the worker", (_, streamRecord) => {
  expect(passesFilters(streamRecord, clientChangeFilters)).toBe(false);
  expect(newInvitations([streamRecord])).toEqual([]);
});

test("an invitation that is erased is not announced, and no change of a client", () => {
  const streamRecord = record("REMOVE", invitationKey("i"));

  expect([isInvitation(streamRecord), newInvitations([streamRecord])]).toEqual([true, []]);
});
