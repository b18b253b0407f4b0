/**
 * Judges as many large targets in parallel as a worker does, in a process of its own, and prints the number of judge calls and the
 * maximum resident memory in MB as JSON.
 *
 *     node test/store/slow/runs/large-targets.ts <database> <project> <session> <trace>...
 */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import { semaphore } from "../../../../lib/async/concurrency.ts";
import { newPairBits } from "../../../../lib/domain/runs/pair-bits.ts";
import { noUsage } from "../../../../lib/domain/runs/run.ts";
import { sessionTargets } from "../../../../lib/evaluation/slices/session-targets.ts";
import { traceTargets } from "../../../../lib/evaluation/slices/trace-targets.ts";
import type { TargetEvaluator } from "../../../../lib/evaluation/slices/target-work.ts";
import type { Judge } from "../../../../lib/judge/judge.ts";
import { maxTranscriptLength, renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import type { Database } from "../../../../lib/dynamo/database.ts";
import { unlimitedBudget } from "../../../../lib/judge/spending/judge-budget.ts";
import { sessionRows } from "../../../../lib/store/sessions/rows.ts";
import { signalScores } from "../../../../lib/store/scores/signals/signals.ts";
import { traceReader } from "../../../../lib/store/traces/reader.ts";
import { someOrder } from "../../../support/runs/runs.ts";

const [url = "", project = "", session = "", ...traces] = process.argv.slice(2);
const database: Database = {
  client: DynamoDBDocumentClient.from(new DynamoDBClient(localClient(url)), {
    marshallOptions: { removeUndefinedValues: true },
  }),
  table: (name) => name,
};
const reader = traceReader(database);

let callCount = 0;
/** A provider that answers after 200 ms, while the transcripts of its call are in memory. */
const judge: Judge = {
  readiness: async () => ({ ready: true }),
  target: ({ trace, earlierTraces: earlier = [] }) => ({
    score: async () => {
      callCount += 1;
      for (const judgedTrace of [trace, ...earlier]) renderTranscript(judgedTrace, maxTranscriptLength);
      await wait(200);
      return { kind: "deferred", reason: "away", code: "internal", retryAfter: null, metadata: {} };
    },
  }),
};

const evaluate = async (kind: TargetEvaluator, targetType: "TRACE" | "SESSION", targets: readonly string[]) => {
  const order = someOrder({ projectId: project, targetType, metrics: ["task_completion"], total: targets.length });
  const slice = {
    runId: order.id,
    projectId: project,
    id: "a#0000",
    targets,
    traces: targetType === "TRACE" ? [] : [0],
    bits: newPairBits(
      targets.map(() => null),
      1,
    ),
    example: null,
    usage: noUsage,
    state: "open" as const,
  };
  const calls = semaphore(20);
  await Promise.all(
    targets.map((_, target) =>
      kind.evaluate({
        order,
        slice,
        target,
        calls,
        deadline: Date.now() + 100_000,
        canStart: () => true,
        budget: unlimitedBudget,
        settle: () => undefined,
        defer: () => undefined,
        postpone: () => undefined,
      }),
    ),
  );
};

const readers = { sessions: sessionRows(database), scores: signalScores(database) };
await evaluate(traceTargets(judge, reader, Date.now), "TRACE", traces);
await evaluate(
  sessionTargets({
    judge,
    traces: reader,
    ...readers,
    findCustomMetric: async () => null,
    now: () => Date.now() + 120_000,
  }),
  "SESSION",
  [session],
);
process.stdout.write(
  `${JSON.stringify({ callCount, megabytes: Math.round(process.resourceUsage().maxRSS / 1024) })}\n`,
);
