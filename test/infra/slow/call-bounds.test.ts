import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  authorizerBounds,
  controlPlaneBounds,
  invocationBounds,
  maxCallMilliseconds,
  defaultBounds,
  type CallBounds,
} from "../../../lib/aws/call-bounds.ts";
import { synthesize } from "../synthesize.ts";

/** Milliseconds of a function's time-out that remain when a call at its very start has ended as late as possible. */
const leftAfter = (bounds: CallBounds, timeout: number): number => timeout * 1000 - maxCallMilliseconds(bounds);

const functions = Object.entries(synthesize().template.findResources("AWS::Lambda::Function")).map(
  ([id, functionResource]) => ({
    id: id.replace(/Function[0-9A-F]{8}$/u, ""),
    timeout: Number(functionResource["Properties"].Timeout),
  }),
);

test("a call ends at the latest after 10 s, the authorizer's after 8 s, one of a function after 11 s, one for the control plane after 38 s", () => {
  expect([defaultBounds, authorizerBounds, invocationBounds, controlPlaneBounds].map(maxCallMilliseconds)).toEqual([
    10_000, 8_000, 11_000, 38_000,
  ]);
});

test("every function has time left after a call that is never answered", () => {
  const tooShort = functions.filter(({ timeout }) => leftAfter(defaultBounds, timeout) < 2_000).map(({ id }) => id);

  expect(functions.length).toBeGreaterThan(70);
  expect(tooShort).toEqual(["ApiAuthorizer"]);
});

test("the authorizer's own time limits leave it two seconds, and it uses these limits", () => {
  const timeout = functions.find(({ id }) => id === "ApiAuthorizer")?.timeout ?? 0;
  const source = readFileSync(new URL("../../../functions/workers/authorize.ts", import.meta.url), "utf8");

  expect(leftAfter(authorizerBounds, timeout)).toBe(2_000);
  expect(source).toContain("connect(authorizerBounds)");
});

test("the gateway key worker has time left after two calls that are never answered", () => {
  const timeout = functions.find(({ id }) => id.includes("InvitationsAnnounce"))?.timeout ?? 0;

  expect(timeout * 1000).toBeGreaterThan(2 * maxCallMilliseconds(controlPlaneBounds));
});

test.each([defaultBounds, authorizerBounds, invocationBounds, controlPlaneBounds])(
  "the time limit of an attempt is set at once, and cleared at the attempt's end (%#)",
  ({ connection, reply, attempt }) => {
    expect([connection < 2_000, connection < reply, reply < 6_000, reply < attempt]).toEqual([true, true, true, true]);
  },
);
