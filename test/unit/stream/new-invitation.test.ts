import { expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import {
  type AccessKey,
  invitationEntryKey,
  invitationKey,
  pendingInvitationKey,
} from "../../../lib/store/access/keys.ts";
import { newInvitation, newInvitationFilters } from "../../../lib/stream/new-invitation.ts";

const record = (eventName: "INSERT" | "MODIFY" | "REMOVE", { pk, sk }: AccessKey) => ({
  eventName,
  dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } },
});

test("a new invitation passes the filters and is parsed", () => {
  const streamRecord = record("INSERT", invitationKey("i"));

  expect(passesFilters(streamRecord, newInvitationFilters)).toBe(true);
  expect(newInvitation(streamRecord)).toBe("i");
});

test.each([
  ["an answer to an invitation", record("MODIFY", invitationKey("i"))],
  ["an invitation that is erased", record("REMOVE", invitationKey("i"))],
  ["an organization's list of invitations", record("INSERT", invitationEntryKey("o", "i"))],
  ["an address's list of invitations", record("INSERT", pendingInvitationKey("bob@example.com", "o"))],
])("%s does not wake the worker", (_, streamRecord) => {
  expect(passesFilters(streamRecord, newInvitationFilters)).toBe(false);
});

test("a record of any other item is an error", () => {
  expect(() => newInvitation(record("INSERT", invitationEntryKey("o", "i")))).toThrow("not about an invitation");
});
