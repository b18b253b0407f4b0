import * as v from "valibot";
import { expect, test } from "vitest";
import { verifiedEmail } from "../../../lib/authorizer/profile.ts";
import { invitedEmail } from "../../../lib/contract/access/fields.ts";

const isInvited = (email: string): boolean => v.is(invitedEmail, email);

/** Addresses that Unicode normalisation changes: the Kelvin sign, a letter with a combining mark, a full-width letter. */
const lookalikes = ["\u212aate@b.c", "u\u0308@b.c", "\uff41@b.c"];
const misread = Array.from('<>"(),:;\\[]', (character) => `a${character}@b.c`);
const addresses = ["bob@example.com", "b\u00f6b@ex\u00e4mple.com", "a b@c.de", "a@b@c.de", "@b", "a@", "bob"];
const unprintable = ["a\0@b.c", "\u001b[31ma@b.c", "a@b.c\u0085", "a@b.c\u200b", "\u202ea@b.c", "\ud800@b.c"];

const unfit = [...unprintable, ...lookalikes, ...misread];

/** Addresses that a token may have, and that nobody can invite: formulas, no top level, mixed scripts. */
const formulas = ["=1+1@example.com", "+1@example.com", "-1@example.com"];
const withoutTopLevel = ["bob@example", "bob@example.", "bob@.com", "bob@a..com", "bob@127.0.0.1"];
const mixedScripts = ["b\u043eb@example.com", "bob@ex\u0430mple.com", "\u0391nn@example.com", "bob@example.c\u043em"];
const onlyInTokens = [...formulas, ...withoutTopLevel, ...mixedScripts];

const isInToken = (email: string): boolean => verifiedEmail({ email, email_verified: true }, {}) !== null;

test.each([...addresses, ...unfit])("an address that a token may have can be invited, and no other: %j", (email) => {
  expect(isInvited(email)).toBe(isInToken(email));
});

test.each(onlyInTokens)(
  "an address that is a formula, has no top level or mixes scripts cannot be invited: %j",
  (email) => {
    expect([isInvited(email), isInToken(email)]).toEqual([false, true]);
  },
);

test.each([
  "\u0438\u0432\u0430\u043d@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
  "\u5c71\u7530\u305f\u308d\u3046@example.jp",
  "a+b-c=d@example.com",
  "x1@sub.example.co",
])("an address in the letters of one script can be invited: %j", (email) => {
  expect(isInvited(email)).toBe(true);
});

test.each(unfit)("an address that is invisible, ambiguous or misread by mailers cannot be invited: %j", (email) => {
  expect(isInvited(email)).toBe(false);
});

test("blanks around an address are dropped, and A to Z become lower case", () => {
  expect(v.parse(invitedEmail, " \tBob@Example.com\n")).toBe("bob@example.com");
  expect(v.parse(invitedEmail, "\u00d6\u0130@example.com")).toBe("\u00d6\u0130@example.com");
});
