import type { DynamoDBRecord } from "aws-lambda";
import { experimentOf, type ExperimentReference } from "../domain/experiments/experiment.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import type { ExperimentChange } from "../store/experiments/experiments.ts";
import { dayOfPartition } from "../store/traces/keys.ts";
import { PackedTrace } from "../store/traces/packed-trace.ts";

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

interface ExperimentRow {
  readonly experiment: ExperimentReference;
  readonly row: PackedTrace;
  readonly ttl: number | undefined;
}

/** Returns the row in an image if its trace names an experiment. */
const rowOf = (project: string, image: Image, sort: string): ExperimentRow | null => {
  const [packed, ttl] = [image?.["d"]?.B, image?.["ttl"]?.N];
  if (packed === undefined) return null;
  const row = new PackedTrace(Buffer.from(sort, "base64"), Buffer.from(packed, "base64"), image?.["i"]?.S ?? null);
  const provenance = row.facts?.provenance;
  const experiment = provenance === undefined ? null : experimentOf(project, provenance);
  return experiment === null ? null : { experiment, row, ttl: ttl === undefined ? undefined : Number(ttl) };
};

const isSame = (a: ExperimentReference, b: ExperimentReference | undefined): boolean =>
  a.id === b?.id && a.itemId === b.itemId;

/** Returns the changes of experiments in the change of a row. */
const changesOf = (project: string, dynamodb: NonNullable<DynamoDBRecord["dynamodb"]>, sort: string) => {
  const [before, after] = [rowOf(project, dynamodb.OldImage, sort), rowOf(project, dynamodb.NewImage, sort)];
  const changes: ExperimentChange[] = [];
  if (before !== null && !isSame(before.experiment, after?.experiment))
    changes.push({ project, experiment: before.experiment, traceId: before.row.traceId, trace: null });
  if (after !== null) {
    const { experiment, row, ttl } = after;
    const { traceId, startedAt, status, latency, totalCost, totalTokens, incarnation } = row;
    changes.push({
      project,
      experiment,
      traceId,
      expiresAt: ttl,
      trace: {
        traceId,
        incarnation: incarnation ?? "",
        itemId: experiment.itemId,
        startedAt,
        hasEnded: status !== "RUNNING",
        hasFailed: status === "ERROR",
        latencyMilliseconds: latency,
        cost: totalCost,
        tokens: totalTokens,
      },
    });
  }
  return changes;
};

/** Returns a function that writes the traces of experiments as they are after the records of the rows stream; others write nothing. */
export const followExperiments =
  (follow: (changes: readonly ExperimentChange[]) => Promise<void>, living: ExistingProjects) =>
  async (records: readonly DynamoDBRecord[]): Promise<void> => {
    const changes = records.flatMap(({ dynamodb }) => {
      const { pk, sk } = dynamodb?.Keys ?? {};
      if (dynamodb === undefined || pk?.B === undefined || sk?.B === undefined) return [];
      return changesOf(dayOfPartition(Buffer.from(pk.B, "base64")).project, dynamodb, sk.B);
    });
    if (changes.length === 0) return;
    const alive = await living(changes.map(({ project }) => project));
    await follow(changes.filter(({ project }) => alive.has(project)));
  };
