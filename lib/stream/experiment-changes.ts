import { isDeepStrictEqual } from "node:util";
import type { DynamoDBRecord } from "aws-lambda";
import { experimentOf } from "../domain/experiments/experiment.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import type { ExperimentChange } from "../store/experiments/experiments.ts";
import { experimentTraceOf } from "../store/experiments/trace-of-row.ts";
import { dayOfPartition } from "../store/traces/keys.ts";
import { PackedTrace } from "../store/traces/packed-trace.ts";

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/** Returns the change of a row as an image has it; null if its trace names no experiment. */
const changeOf = (project: string, image: Image, sort: string, isRemoved: boolean): ExperimentChange | null => {
  const [packed, ttl] = [image?.["d"]?.B, image?.["ttl"]?.N];
  if (packed === undefined) return null;
  const row = new PackedTrace(Buffer.from(sort, "base64"), Buffer.from(packed, "base64"), image?.["i"]?.S ?? null);
  const provenance = row.facts?.provenance;
  const experiment = provenance === undefined ? null : experimentOf(project, provenance);
  if (experiment === null) return null;
  return {
    project,
    experiment,
    isRemoved,
    expiresAt: ttl === undefined ? undefined : Number(ttl),
    trace: experimentTraceOf(row, experiment),
  };
};

/** True if two images of a row have the same place in the same experiment. */
const isSame = (a: ExperimentChange, b: ExperimentChange | null): boolean =>
  isDeepStrictEqual(a.experiment, b?.experiment) && a.trace.incarnation === b?.trace.incarnation;

/** Returns the changes of experiments in the change of a row. */
const changesOf = (project: string, dynamodb: NonNullable<DynamoDBRecord["dynamodb"]>, sort: string) => {
  const before = changeOf(project, dynamodb.OldImage, sort, true);
  const after = changeOf(project, dynamodb.NewImage, sort, false);
  const isMoved = before !== null && !isSame(before, after);
  return [...(isMoved ? [before] : []), ...(after === null ? [] : [after])];
};

/** Returns a function that writes the traces of experiments as they are after the records of the rows stream; others write nothing. */
export const followExperiments =
  (follow: (changes: readonly ExperimentChange[]) => Promise<void>, living: ExistingProjects) =>
  async (records: readonly DynamoDBRecord[]): Promise<void> => {
    const changes = records.flatMap(({ dynamodb }) => {
      const { pk, sk } = dynamodb?.Keys ?? {};
      if (pk?.B === undefined || sk?.B === undefined) return [];
      // The table has other items too, whose keys have no day.
      if (dynamodb?.OldImage?.["d"] === undefined && dynamodb?.NewImage?.["d"] === undefined) return [];
      return changesOf(dayOfPartition(Buffer.from(pk.B, "base64")).project, dynamodb, sk.B);
    });
    if (changes.length === 0) return;
    const alive = await living(changes.map(({ project }) => project));
    await follow(changes.filter(({ project }) => alive.has(project)));
  };
