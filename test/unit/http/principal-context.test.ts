import * as v from "valibot";
import { expect, test } from "vitest";
import { keyAccesses, fullScope } from "../../../lib/domain/access/key-scope.ts";
import { contextOfCaller, type VerifiedCaller, callerContext } from "../../../lib/http/guards/principal-context.ts";

const key = { kind: "key", keyId: "k", organizationId: "o" } as const;

const callers: readonly VerifiedCaller[] = [
  { ...key, scope: fullScope, maker: null },
  { ...key, scope: fullScope, maker: "u" },
  ...keyAccesses.map((access): VerifiedCaller => Object.assign({ scope: { access, projectId: "p" }, maker: "u" }, key)),
  { ...key, scope: { access: "read", projectId: null }, maker: null },
  { kind: "user", userId: "u", email: null, displayName: null },
  { kind: "user", userId: "u", email: "a@b.example", displayName: "Ann" },
];

test.each(callers)("a caller's context from the authorizer is read by the handlers (%#)", (caller) => {
  const context = contextOfCaller(caller);

  expect(Object.values(context).every((value) => typeof value === "string")).toBe(true);
  expect(v.parse(callerContext, context)).toEqual(caller);
});

test("a key's context from an earlier authorizer is read as a key without restrictions", () => {
  const context = { principal: "key", key_id: "k", organization_id: "o" };

  expect(v.parse(callerContext, context)).toEqual({ ...key, scope: fullScope, maker: null });
});

/** Schema of the context in earlier handlers. */
const before = v.variant("principal", [
  v.object({ principal: v.literal("key"), key_id: v.string(), organization_id: v.string() }),
  v.object({ principal: v.literal("user"), user_id: v.string() }),
]);

test("earlier handlers, which know no scopes, refuse a key that has a scope", () => {
  const understood = callers.map((caller) => v.is(before, contextOfCaller(caller)));

  expect(understood).toEqual(callers.map((caller) => caller.kind === "user" || caller.scope === fullScope));
});

test.each([{ access: "owner" }, { access: "full", project_id: 1 }, {}])(
  "an unknown scope does not mean full access: %j",
  (scope) => {
    expect(v.is(callerContext, { principal: "scoped_key", key_id: "k", organization_id: "o", ...scope })).toBe(false);
  },
);
