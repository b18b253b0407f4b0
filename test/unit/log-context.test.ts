import type { APIGatewayProxyEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { traceparentOf } from "../../lib/http/event.ts";
import { logContext, withLogContext } from "../../lib/log-context.ts";
import { publishMetrics } from "../../lib/published-metrics.ts";
import { logContextOfMessage, readSliceMessage, writeSliceMessage } from "../../lib/queue/slice-message.ts";
import { publishedLines } from "../support/published-lines.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const origin = { organization_id: "o", key_id: "k", traceparent };
const slice = { project: "p", run: "r", slice: "s" };

const requestWith = (...values: readonly string[]) =>
  ({ multiValueHeaders: { Traceparent: values } }) as unknown as APIGatewayProxyEvent;

test("a traceparent is taken from a header in the form of W3C's recommendation, also of a later version", () => {
  expect(traceparentOf(requestWith(traceparent))).toBe(traceparent);
  expect(traceparentOf(requestWith(traceparent.replace(/^00/u, "01")))).toBe(traceparent.replace(/^00/u, "01"));
});

test.each([
  [],
  [""],
  [traceparent, traceparent.replace("4bf9", "4bf8")],
  [traceparent.toUpperCase()],
  [traceparent.replace(/^00/u, "ff")],
  ["00-00000000000000000000000000000000-00f067aa0ba902b7-01"],
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"],
  [`${traceparent}-${"x".repeat(8_000)}`],
  [`${traceparent}\n{"event":"forged"}`],
])("malformed, forged or repeated header values (%#) are no traceparent", (...values) => {
  expect(traceparentOf(requestWith(...values))).toBeUndefined();
});

test("each line has the ids of the innermost work only, and a field of its own wins", async () => {
  const { lines } = await publishedLines(async () =>
    withLogContext({ run_id: "received", key_id: "k" }, () =>
      withLogContext({ run_id: "borrowed", project_id: "p" }, async () => {
        await Promise.resolve();
        publishMetrics("judge_asked", { JudgeCalls: 1 }, { project_id: "own" });
      }),
    ),
  );

  expect(lines).toMatchObject([{ run_id: "borrowed", project_id: "own" }]);
  expect(lines[0]).not.toHaveProperty("key_id");
  expect(logContext()).toEqual({});
});

test("a slice message carries the origin of the work that sends it, and nothing else of its ids", () => {
  const body = withLogContext({ ...origin, request_id: "q", project_id: "other", run_id: "other" }, () =>
    writeSliceMessage(slice),
  );

  expect(readSliceMessage(body)).toEqual(slice);
  expect(logContextOfMessage(body)).toEqual({ project_id: "p", run_id: "r", ...origin });
  expect(body).not.toContain("other");
});

test("a message of an earlier build without an origin is read, and a text that is no message has no ids", () => {
  const body = JSON.stringify({ v: 1, ...slice });

  expect(readSliceMessage(body)).toEqual(slice);
  expect(logContextOfMessage(body)).toEqual({ project_id: "p", run_id: "r" });
  expect([logContextOfMessage("{"), logContextOfMessage('{"run":"r"}')]).toEqual([{}, {}]);
});
