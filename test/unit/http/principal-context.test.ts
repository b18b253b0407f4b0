import * as v from "valibot";
import { expect, test } from "vitest";
import { keyAccesses, unscoped } from "../../../lib/domain/access/key-scope.ts";
import { contextOf, type Verified, verifiedOf } from "../../../lib/http/principal-context.ts";

const key = { kind: "key", keyId: "k", organizationId: "o" } as const;

const callers: readonly Verified[] = [
  { ...key, scope: unscoped, maker: null },
  { ...key, scope: unscoped, maker: "u" },
  ...keyAccesses.map((access): Verified => Object.assign({ scope: { access, projectId: "p" }, maker: "u" }, key)),
  { ...key, scope: { access: "read", projectId: null }, maker: null },
  { kind: "user", userId: "u", email: null, displayName: null },
  { kind: "user", userId: "u", email: "a@b.example", displayName: "Ann" },
];

test.each(callers)("what the authorizer says of a caller is what handlers understand (%#)", (caller) => {
  const context = contextOf(caller);

  expect(Object.values(context).every((value) => typeof value === "string")).toBe(true);
  expect(v.parse(verifiedOf, context)).toEqual(caller);
});

test("what an authorizer of before said of a key is a key that is held to nothing", () => {
  const context = { principal: "key", key_id: "k", organization_id: "o" };

  expect(v.parse(verifiedOf, context)).toEqual({ ...key, scope: unscoped, maker: null });
});

/** As handlers of before read it. */
const before = v.variant("principal", [
  v.object({ principal: v.literal("key"), key_id: v.string(), organization_id: v.string() }),
  v.object({ principal: v.literal("user"), user_id: v.string() }),
]);

test("handlers of before, which know no scopes, let no key in that has one", () => {
  const understood = callers.map((caller) => v.is(before, contextOf(caller)));

  expect(understood).toEqual(callers.map((caller) => caller.kind === "user" || caller.scope === unscoped));
});

test.each([{ access: "owner" }, { access: "full", project_id: 1 }, {}])(
  "a scope that nobody knows is none that may do all: %j",
  (scope) => {
    expect(v.is(verifiedOf, { principal: "scoped_key", key_id: "k", organization_id: "o", ...scope })).toBe(false);
  },
);
