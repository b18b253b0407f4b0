import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Run, RunOrder } from "../../lib/domain/run.ts";
import type { TraceScore } from "../../lib/domain/score.ts";
import type { Database } from "../../lib/store/database.ts";
import { unpackScore } from "../../lib/store/score-codec.ts";
import { runStore } from "../../lib/store/runs.ts";
import type { JudgeCall } from "./scripted-judge.ts";
import type { Violations } from "./violations.ts";

/** What a run was made of, as its creator knows it. */
export interface PlannedRun {
  readonly order: RunOrder;
  readonly targets: readonly string[];
}

/** Ids of the scores under a trace, as often as they are there. */
export const scoreIdsOfTrace = async (
  { client, table }: Database,
  project: string,
  trace: string,
): Promise<readonly string[]> => {
  const { Items } = await client.send(
    new QueryCommand({
      TableName: table("scores"),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `${project}#trace#${trace}` },
      ConsistentRead: true,
    }),
  );
  return (Items ?? []).map((item) => unpackScore(item["d"]).id);
};

/** Whether each score is what the judge once said of its pair, or says why judging was given up. */
const checkAnswers = (
  scores: readonly TraceScore[],
  calls: readonly JudgeCall[],
  deliveries: (target: string) => number,
  { expect }: Violations,
): void => {
  const said = new Set(calls.map(({ target, metric, answer }) => `${target} ${metric} ${answer}`));
  for (const { trace_id, name, status, reason, metadata } of scores) {
    const pair = `${trace_id} ${name}`;
    if (status === "SUCCESS") expect(said.has(`${pair} ${reason}`), "I1: a score is not what the judge said");
    else if (metadata["code"] === "internal") expect(deliveries(trace_id) > 5, "I14: a pair was given up too early");
    else if (metadata["code"] === "judge_unavailable") expect(false, "I14: a provider was given up within a day");
    else expect(said.has(`${pair} failed`), "I14: a failure that was not final is a score");
  }
};

/**
 * Checks a run that has ended against what was asked for.
 *
 * @param gone targets that were never there, or may have gone meanwhile.
 * @param deliveries how often a target's slice was delivered.
 */
export const checkEnd = async (
  database: Database,
  { order, targets }: PlannedRun,
  run: Run,
  scores: readonly TraceScore[],
  calls: readonly JudgeCall[],
  gone: { readonly always: ReadonlySet<string>; readonly perhaps: ReadonlySet<string> },
  deliveries: (target: string) => number,
  violations: Violations,
): Promise<void> => {
  const { expect } = violations;
  const pairs = order.total * order.metrics.length;
  const succeeded = scores.filter(({ status }) => status === "SUCCESS").length;
  expect(run.evaluated === order.total, "I2: evaluated_count is not total at the end");
  expect(run.scored === succeeded, "I2: the successes counted are not the successful scores");
  expect(run.failed === pairs - succeeded, "I2: failed_count is not the pairs without a successful score");
  expect((run.status === "COMPLETED") === (succeeded > 0 || order.total === 0), "I2: the status does not follow");

  const perTarget = Map.groupBy(scores, ({ trace_id }) => trace_id);
  for (const target of targets) {
    const names = new Set(perTarget.get(target)?.map(({ name }) => name));
    if (gone.perhaps.has(target)) continue;
    const want = gone.always.has(target) ? 0 : order.metrics.length;
    expect(names.size === want, `I2: a target has ${names.size} scores instead of ${want}`);
  }
  const certain = targets.filter((target) => gone.always.has(target)).length;
  expect(run.missing >= certain, "I2: a missing target was not counted as missing");
  expect(run.missing <= certain + gone.perhaps.size, "I2: a target was counted as missing that is there");
  const copiesOf = new Map<string, readonly string[]>();
  for (const trace of perTarget.keys()) copiesOf.set(trace, await scoreIdsOfTrace(database, order.projectId, trace));
  for (const score of scores) {
    const copies = copiesOf.get(score.trace_id)?.filter((id) => id === score.id) ?? [];
    expect(copies.length === 1, `I1: a score has ${copies.length} copies under its trace`);
  }

  const runs = runStore(database);
  const stored = await runs.read(order.projectId, order.id);
  const slices = await runs.slices(order.projectId, order.id, stored?.attempt ?? "");
  expect(stored?.slicesLeft === 0, "I3: a run ended before its last slice");
  expect(
    slices.every(({ slice }) => slice.state === "done"),
    "I3: a slice of an ended run is open",
  );
  const frozen = slices.flatMap(({ slice }) => slice.targets);
  expect(JSON.stringify(frozen) === JSON.stringify(targets), "I18: the targets are not those the run was made with");
  checkAnswers(scores, calls, deliveries, violations);
};
