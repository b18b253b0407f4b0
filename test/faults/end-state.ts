import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Run } from "../../lib/domain/runs/run.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { unpackScore } from "../../lib/store/scores/codec.ts";
import { copyPartition, type ScoreTarget } from "../../lib/store/scores/keys.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { metricsOfTarget, type PlannedRun } from "./pipeline/planned-run.ts";
import type { TargetScore } from "./pipeline/run-score-list.ts";
import type { JudgeCall } from "./pipeline/scripted-judge.ts";
import type { Violations } from "./violations.ts";

/** Ids of the scores stored under a trace or a session, with duplicates. */
export const scoreIdsOf = async (
  { client, table }: Database,
  project: string,
  kind: ScoreTarget,
  target: string,
): Promise<readonly string[]> => {
  const { Items } = await client.send(
    new QueryCommand({
      TableName: table("scores"),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": copyPartition(kind, project, target) },
      ConsistentRead: true,
    }),
  );
  return (Items ?? []).map((item) => unpackScore(item["d"]).id);
};

/** Checks that each score has an answer of the judge for its pair, or a valid reason why judging was given up. */
export const checkScoreReasons = (
  scores: readonly TargetScore[],
  calls: readonly JudgeCall[],
  deliveries: (target: string) => number,
  { expect }: Violations,
): void => {
  const answers = new Set(calls.map(({ target, metric, answer }) => `${target} ${metric} ${answer}`));
  for (const { target, name, status, reason, metadata } of scores) {
    const pair = `${target} ${name}`;
    if (status === "SUCCESS") expect(answers.has(`${pair} ${reason}`), "I1: a score is not what the judge said");
    else if (metadata["code"] === "internal") expect(deliveries(target) > 5, "I14: a pair was given up too early");
    else if (metadata["code"] === "judge_unavailable") expect(false, "I14: a provider was given up within a day");
    else expect(answers.has(`${pair} failed`), "I14: a failure that was not final is a score");
  }
};

/**
 * Checks the final state of a run against its order.
 * @param absentTargets targets that never existed (`always`), and targets that may have been deleted meanwhile
 * (`perhaps`).
 */
export const checkEnd = async (
  database: Database,
  planned: PlannedRun,
  run: Run,
  scores: readonly TargetScore[],
  absentTargets: { readonly always: ReadonlySet<string>; readonly perhaps: ReadonlySet<string> },
  { expect }: Violations,
): Promise<void> => {
  const { order, targets } = planned;
  const pairs = targets.reduce((sum, target) => sum + metricsOfTarget(planned, target).length, 0);
  const succeeded = scores.filter(({ status }) => status === "SUCCESS").length;
  expect(run.evaluated === order.total, "I2: evaluated_count is not total at the end");
  expect(run.scored === succeeded, "I2: the successes counted are not the successful scores");
  expect(run.failed === pairs - succeeded, "I2: failed_count is not the pairs without a successful score");
  expect((run.status === "COMPLETED") === (succeeded > 0 || order.total === 0), "I2: the status does not follow");

  const { judge } = order;
  if (judge !== undefined) {
    const { when, at_most: atMost } = judge.escalate;
    const askedAgain = scores.filter(({ metadata }) => metadata["first_verdict"] !== undefined).length;
    const escalated = run.usage.escalated ?? 0;
    const isUncertain = ({
      status,
      metadata: { confidence, escalation, first_verdict: first },
    }: TargetScore): boolean =>
      status === "SUCCESS" &&
      Number(confidence) < when.confidence_below &&
      escalation === undefined &&
      first === undefined;
    expect(escalated <= Math.floor(atMost * pairs + 1e-9), "I33: more pairs were asked again than the rule allows");
    expect(askedAgain <= escalated, "I33: a second verdict was not counted");
    expect(atMost < 1 || !scores.some(isUncertain), "I33: an uncertain verdict counts that was not asked again");
  }
  const perTarget = Map.groupBy(scores, ({ target }) => target);
  for (const target of targets) {
    const names = new Set(perTarget.get(target.id)?.map(({ name }) => name));
    if (absentTargets.perhaps.has(target.id)) continue;
    const expectedMetrics = absentTargets.always.has(target.id) ? [] : metricsOfTarget(planned, target);
    expect(
      names.symmetricDifference(new Set(expectedMetrics)).size === 0,
      "I9: a target has other scores than were asked for",
    );
  }
  const certain = targets.filter(({ id }) => absentTargets.always.has(id)).length;
  expect(run.missing >= certain, "I2: a missing target was not counted as missing");
  expect(run.missing <= certain + absentTargets.perhaps.size, "I2: a target was counted as missing that is there");
  const kind = order.targetType === "TRACE" ? "trace" : "session";
  const copiesOf = new Map<string, readonly string[]>();
  for (const target of perTarget.keys())
    copiesOf.set(target, await scoreIdsOf(database, order.projectId, kind, target));
  for (const score of scores) {
    const copies = copiesOf.get(score.target)?.filter((id) => id === score.id) ?? [];
    expect(copies.length === 1, `I1: a score has ${copies.length} copies under its target`);
  }

  const runs = runStore(database);
  const storedRun = await runs.read(order.projectId, order.id);
  const slices = await runs.slices(order.projectId, order.id, storedRun?.attempt ?? "");
  expect(storedRun?.slicesLeft === 0, "I3: a run ended before its last slice");
  expect(
    slices.every(({ slice }) => slice.state === "done"),
    "I3: a slice of an ended run is open",
  );
  const frozen = slices.flatMap(({ slice }) => slice.targets);
  expect(
    JSON.stringify(frozen) === JSON.stringify(targets.map(({ id }) => id)),
    "I18: the targets are not those the run was made with",
  );
};
