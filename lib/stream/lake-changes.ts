import type { DynamoDBRecord } from "aws-lambda";
import { awaitAll, mapConcurrently } from "../async/concurrency.ts";
import { dayOf, endOfDay, instantAt, type Instant } from "../domain/instant.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import type { ChangeKind, LakeChanges } from "../store/lake/changes.ts";
import type { ClosedDays } from "../store/lake/closed-days.ts";
import { type DueDays, nextPass } from "../store/lake/due-days.ts";
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
 * Returns a function that marks changed traces of closed days, whose files no longer show them as they are, and makes the days of changed
 * traces due for the next pass of the writer. A day that is not over is never closed.
 */
export const markLakeChanges = (
  isClosed: ClosedDays,
  changes: Pick<LakeChanges, "mark">,
  due: Pick<DueDays, "add">,
  living: ExistingProjects,
  now: () => number = Date.now,
) => {
  const remembered = new Set<string>();

  const follow = async (project: string, day: string, instants: readonly Instant[], kind: ChangeKind) => {
    if (day < dayOf(instantAt(now())) && (await isClosed(project, day))) await changes.mark(project, instants, kind);
    const pass = nextPass(Math.max(now(), endOfDay(day)));
    const key = `${project}#${day}#${pass}`;
    if (remembered.has(key)) return;
    await due.add(pass, { project, day });
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.add(key);
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
