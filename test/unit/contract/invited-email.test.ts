import * as v from "valibot";
import { expect, test } from "vitest";
import { emailIn } from "../../../lib/authorizer/profile.ts";
import { invitedEmail } from "../../../lib/contract/access/fields.ts";

const isInvited = (email: string): boolean => v.is(invitedEmail, email);

const addresses = ["bob@example.com", "b\u00f6b@ex\u00e4mple.com", "a b@c", "a@b@c", "@b", "a@", "bob"];
const unprintable = ["a\0@b.c", "\u001b[31ma@b.c", "a@b.c\u0085", "a@b.c\u200b", "\u202ea@b.c", "\ud800@b.c"];

test.each([...addresses, ...unprintable])("an address is invited that a token may have, and no other: %j", (email) => {
  expect(isInvited(email)).toBe(emailIn({ email }) !== null);
});

test.each(unprintable)("an address with a character that cannot be seen is not invited: %j", (email) => {
  expect(isInvited(email)).toBe(false);
});

test("blanks around an address are dropped, and its case is", () => {
  expect(v.parse(invitedEmail, " \tBob@Example.com\n")).toBe("bob@example.com");
});
