import type { Context, SQSEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { sliceWorker } from "../../../lib/evaluation/slice-worker.ts";
import type { SliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import { writeSliceMessage } from "../../../lib/queue/slice-message.ts";
import { publishedLines } from "../../support/published-lines.ts";

const queue: JudgeQueue = {
  send: async () => undefined,
  delayMessage: async () => undefined,
};

const deliver = (evaluate: SliceEvaluation) => {
  const body = writeSliceMessage({ project: "p", run: "r", slice: "s" });
  const attributes = { ApproximateReceiveCount: "1", SentTimestamp: String(Date.now()) };
  const event = { Records: [{ messageId: "m-1", receiptHandle: "h", body, attributes }] } as SQSEvent;
  const context = { getRemainingTimeInMillis: () => 60_000 } as Context;
  return publishedLines(() => sliceWorker(evaluate, queue)(event, context));
};

test("a slice whose worker failed is published as a service metric: the function itself reports no error", async () => {
  const { lines, result } = await deliver(() => Promise.reject(new Error("secret content")));

  expect(await result).toEqual({ batchItemFailures: [{ itemIdentifier: "m-1" }] });
  expect(lines).toMatchObject([{ event: "work_item_failed", worker: "judge-slice", FailedItems: 1 }]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

test.each<Awaited<ReturnType<SliceEvaluation>>>([{ kind: "over" }, { kind: "later", at: Date.now() + 1000 }])(
  "a slice that is %j has not failed",
  async (outcome) => {
    expect((await deliver(async () => outcome)).lines).toEqual([]);
  },
);
