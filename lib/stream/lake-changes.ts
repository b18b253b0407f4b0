import type { DynamoDBRecord } from "aws-lambda";
import { awaitAll, mapConcurrently } from "../async/concurrency.ts";
import { dayOf, endOfDay, type Instant } from "../domain/instant.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import type { ChangeKind, LakeChanges } from "../store/lake/changes.ts";
import type { ClosedDays } from "../store/lake/closed-days.ts";
import { type DueDays, nextIndexing, nextPass } from "../store/lake/due-days.ts";
import { unpackScore } from "../store/scores/codec.ts";
import { targetOfKey } from "../store/scores/keys.ts";
import { dayOfPartition, keyOfRow } from "../store/traces/keys.ts";

/** The start of a trace that has changed, or whose scores have. */
interface ChangedTrace {
  readonly project: string;
  readonly startedAt: Instant;
}

/** Reads the start of a trace; null if the trace does not exist. */
type StartOf = (project: string, trace: string) => Promise<Instant | null>;

/** True if a record tells that an item has expired: the lake has the expiry of each trace. */
const isExpiry = ({ dynamodb }: DynamoDBRecord): boolean =>
  dynamodb?.NewImage === undefined &&
  Number(dynamodb?.OldImage?.["ttl"]?.N ?? Infinity) <= (dynamodb?.ApproximateCreationDateTime ?? 0);

/** Returns the traces that records of the rows stream are about. */
export const changedRows = (records: readonly DynamoDBRecord[]): readonly ChangedTrace[] =>
  records.flatMap((record) => {
    const { Keys, OldImage, NewImage } = record.dynamodb ?? {};
    const [pk, sk] = [Keys?.["pk"]?.B, Keys?.["sk"]?.B];
    const isRow = (NewImage?.["d"] ?? OldImage?.["d"]) !== undefined;
    if (!isRow || pk === undefined || sk === undefined || isExpiry(record)) return [];
    const { project } = dayOfPartition(Buffer.from(pk, "base64"));
    return [{ project, startedAt: keyOfRow(Buffer.from(sk, "base64")).startedAt }];
  });

/** Returns the traces whose scores records of the scores stream are about. @param startOf for scores that do not name the start. */
export const tracesOfScores = async (
  records: readonly DynamoDBRecord[],
  startOf: StartOf,
): Promise<readonly ChangedTrace[]> => {
  const traces = await mapConcurrently(records, parallel, async (record) => {
    const { Keys, OldImage, NewImage } = record.dynamodb ?? {};
    const [pk, packed] = [Keys?.["pk"]?.S, (NewImage ?? OldImage)?.["d"]?.B];
    if (pk === undefined || packed === undefined || targetOfKey(pk) !== "trace" || isExpiry(record)) return [];
    const { project_id: project, trace_id, trace_started_at } = unpackScore(Buffer.from(packed, "base64"));
    const startedAt = trace_started_at ?? (await startOf(project, trace_id));
    return startedAt === null ? [] : [{ project, startedAt }];
  });
  return traces.flat();
};

/** Scores and days that are read at the same time. */
const parallel = 8;

/** Max days of passes that a process remembers to have made due. */
const maxRemembered = 10_000;

/**
 * Returns a function that marks changed traces of closed days, and of the indexed part of an open one, whose files no longer show them as
 * they are. It makes the days of changed traces due for the next pass of the writer, and days with an index of words each hour until they
 * are over.
 */
export const markLakeChanges = (
  closedDay: ClosedDays,
  changes: Pick<LakeChanges, "mark">,
  due: Pick<DueDays, "add">,
  living: ExistingProjects,
  now: () => number = Date.now,
) => {
  const remembered = new Set<string>();

  const makeDue = async (at: number, project: string, day: string): Promise<void> => {
    const key = `${project}#${day}#${at}`;
    if (remembered.has(key)) return;
    await due.add(at, { project, day });
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.add(key);
  };

  const follow = async (project: string, day: string, instants: readonly Instant[], kind: ChangeKind) => {
    const { end, isWhole, isIndexed } = await closedDay(project, day);
    const closed = instants.filter((startedAt) => end !== null && startedAt < end);
    // An index of words does not have scores.
    const isMarked = closed.length > 0 && (isWhole || kind === "traces");
    if (isMarked) await changes.mark(project, closed, kind);
    await makeDue(nextPass(Math.max(now(), endOfDay(day))), project, day);
    if (isMarked && !isWhole) await makeDue(nextPass(now()), project, day);
    if (isIndexed && kind === "traces") await makeDue(nextIndexing(now()), project, day);
  };

  return async (traces: readonly ChangedTrace[], kind: ChangeKind = "traces"): Promise<void> => {
    if (traces.length === 0) return;
    const alive = await living(traces.map(({ project }) => project));
    const days = Map.groupBy(traces, ({ project, startedAt }) => `${project}#${dayOf(startedAt)}`);
    await awaitAll(
      [...days.values()].map(async (tracesOfDay) => {
        const [{ project, startedAt } = { project: "", startedAt: "" }] = tracesOfDay;
        if (!alive.has(project)) return;
        await follow(
          project,
          dayOf(startedAt),
          tracesOfDay.map((trace) => trace.startedAt),
          kind,
        );
      }),
    );
  };
};
