import { isDeepStrictEqual } from "node:util";
import type { DynamoDBRecord } from "aws-lambda";
import { experimentOf } from "../domain/experiments/experiment.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import type { ExperimentChange } from "../store/experiments/experiments.ts";
import { experimentTraceOf } from "../store/experiments/trace-of-row.ts";
import { dayOfPartition } from "../store/traces/keys.ts";
import type { PackedTrace } from "../store/traces/packed-trace.ts";
import { rowInImage, type RowImage } from "./row-image.ts";

/** Returns the change of a row as an image has it; null if its trace names no experiment. */
const changeOf = (project: string, image: RowImage, row: PackedTrace | null, isRemoved: boolean) => {
  const provenance = row?.facts?.provenance;
  const experiment = provenance === undefined ? null : experimentOf(project, provenance);
  if (row === null || experiment === null) return null;
  const ttl = image?.["ttl"]?.N;
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

/** Returns the changes of experiments in the change of a row. The trace of a row that expires has the row's expiry itself. */
const changesOf = ({ dynamodb }: DynamoDBRecord): readonly ExperimentChange[] => {
  const { pk, sk } = dynamodb?.Keys ?? {};
  if (pk?.B === undefined || sk?.B === undefined) return [];
  const { OldImage, NewImage, ApproximateCreationDateTime = 0 } = dynamodb ?? {};
  const rows = [rowInImage(OldImage, sk.B, ApproximateCreationDateTime), rowInImage(NewImage, sk.B, 0)] as const;
  // The table has other items too, whose keys have no day.
  if (rows.every((row) => row === null)) return [];
  const { project } = dayOfPartition(Buffer.from(pk.B, "base64"));
  const before = changeOf(project, OldImage, rows[0], true);
  const after = changeOf(project, NewImage, rows[1], false);
  const isMoved = before !== null && !isSame(before, after);
  return [...(isMoved ? [before] : []), ...(after === null ? [] : [after])];
};

/** Returns a function that writes the traces of experiments as they are after the records of the rows stream; others write nothing. */
export const followExperiments =
  (follow: (changes: readonly ExperimentChange[]) => Promise<void>, living: ExistingProjects) =>
  async (records: readonly DynamoDBRecord[]): Promise<void> => {
    const changes = records.flatMap(changesOf);
    if (changes.length === 0) return;
    const alive = await living(changes.map(({ project }) => project));
    await follow(changes.filter(({ project }) => alive.has(project)));
  };
