import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  authorizerBounds,
  controlPlaneBounds,
  invocationBounds,
  longestCall,
  usualBounds,
  type CallBounds,
} from "../../lib/aws/call-bounds.ts";
import { synthesize } from "./synthesize.ts";

/** Milliseconds that are left of a function when a call at its very beginning has ended as late as it may. */
const leftAfter = (bounds: CallBounds, timeout: number): number => timeout * 1000 - longestCall(bounds);

const functions = Object.entries(synthesize().template.findResources("AWS::Lambda::Function")).map(([id, found]) => ({
  id: id.replace(/Function[0-9A-F]{8}$/u, ""),
  timeout: Number(found["Properties"].Timeout),
}));

test("a call ends at the latest after 10 s, the authorizer's after 8 s, one of a function after 11 s, one for the control plane after 38 s", () => {
  expect([usualBounds, authorizerBounds, invocationBounds, controlPlaneBounds].map(longestCall)).toEqual([
    10_000, 8_000, 11_000, 38_000,
  ]);
});

test("every function is there when a call that is never answered has ended", () => {
  const tooShort = functions.filter(({ timeout }) => leftAfter(usualBounds, timeout) < 2_000).map(({ id }) => id);

  expect(functions.length).toBeGreaterThan(70);
  expect(tooShort).toEqual(["ApiAuthorizer"]);
});

test("the authorizer's own bounds leave it two seconds, and it uses them", () => {
  const timeout = functions.find(({ id }) => id === "ApiAuthorizer")?.timeout ?? 0;
  const source = readFileSync(new URL("../../functions/workers/authorize.ts", import.meta.url), "utf8");

  expect(leftAfter(authorizerBounds, timeout)).toBe(2_000);
  expect(source).toContain("connect(authorizerBounds)");
});

test("the worker of gateway keys is there when two calls that are never answered have ended", () => {
  const timeout = functions.find(({ id }) => id.includes("GatewayKeys"))?.timeout ?? 0;

  expect(timeout * 1000).toBeGreaterThan(2 * longestCall(controlPlaneBounds));
});

test.each([usualBounds, authorizerBounds, invocationBounds, controlPlaneBounds])(
  "what bounds an attempt is watched at once, and by the attempt's end (%#)",
  ({ connection, reply, attempt }) => {
    expect([connection < 2_000, connection < reply, reply < 6_000, reply < attempt]).toEqual([true, true, true, true]);
  },
);
