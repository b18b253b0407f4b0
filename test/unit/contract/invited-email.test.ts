import * as v from "valibot";
import { expect, test } from "vitest";
import { verifiedEmail } from "../../../lib/authorizer/profile.ts";
import { invitedEmail } from "../../../lib/contract/access/fields.ts";

const isInvited = (email: string): boolean => v.is(invitedEmail, email);

/** Addresses that Unicode normalisation changes: the Kelvin sign, a letter with a combining mark, a full-width letter. */
const lookalikes = ["\u212aate@b.c", "u\u0308@b.c", "\uff41@b.c"];
const misread = Array.from('<>"(),:;\\[]', (character) => `a${character}@b.c`);
const addresses = ["bob@example.com", "b\u00f6b@ex\u00e4mple.com", "a b@c", "a@b@c", "@b", "a@", "bob"];
const unprintable = ["a\0@b.c", "\u001b[31ma@b.c", "a@b.c\u0085", "a@b.c\u200b", "\u202ea@b.c", "\ud800@b.c"];

const unfit = [...unprintable, ...lookalikes, ...misread];

test.each([...addresses, ...unfit])("an address that a token may have can be invited, and no other: %j", (email) => {
  expect(isInvited(email)).toBe(verifiedEmail({ email, email_verified: true }, {}) !== null);
});

test.each(unfit)("an address that is invisible, ambiguous or misread by mailers cannot be invited: %j", (email) => {
  expect(isInvited(email)).toBe(false);
});

test("blanks around an address are dropped, and A to Z become lower case", () => {
  expect(v.parse(invitedEmail, " \tBob@Example.com\n")).toBe("bob@example.com");
  expect(v.parse(invitedEmail, "\u00d6\u0130@example.com")).toBe("\u00d6\u0130@example.com");
});
