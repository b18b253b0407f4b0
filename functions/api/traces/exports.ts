import { defaultBounds } from "../../../lib/aws/call-bounds.ts";
import { functionStarter } from "../../../lib/aws/invoke-function.ts";
import { objectLink } from "../../../lib/aws/s3-requests.ts";
import { createExport, listExportDays } from "../../../lib/contract/traces/exports.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { exportRange } from "../../../lib/domain/lake/export-range.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { exportDays, missingText, type ExportDay } from "../../../lib/lake/export-days.ts";
import { dueDays } from "../../../lib/store/lake/due-days.ts";
import type { LakeFile } from "../../../lib/store/lake/lake-file.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";

const database = connect();
const [daysOf, due] = [exportDays(database), dueDays(database)];
const guard = environmentGuard(database);
const bucket = required(variables.lakeBucket);
const writer = process.env[variables.lakeWriter] ?? "";
const start = functionStarter(defaultBounds);

/** Seconds for which a link can be used. A download that has begun goes on. */
const linkSeconds = 900;

const dayReply = <File>(
  { day, status, asOf, storedTraces, changes, isComplete }: ExportDay,
  files: readonly File[],
) => ({
  day,
  status,
  as_of: asOf === null ? null : instantAt(asOf),
  stored_traces: storedTraces,
  changes,
  complete: isComplete,
  files: [...files],
});

const fileReply = ({ table, key, rows, bytes, sha256 }: LakeFile) => ({ table, key, rows, bytes, sha256 });

const noEngine = () =>
  new Refusal({
    kind: "conflict",
    detail: "This service writes no files, because it has no DuckDB. `/docs/exports` says how to install it.",
  });

/** Lists the files of days, and hands out links to them. */
export const handler = sharedEndpoint(
  endpoint(listExportDays, guard, async ({ project, query: { started_after, started_before } }) => {
    const { first, last } = exportRange("query", started_after, started_before, Date.now());
    return {
      days: (await daysOf(project.id, first, last, false)).map((day) => dayReply(day, day.files.map(fileReply))),
    };
  }),
  endpoint(createExport, guard, async ({ project, body: { started_after, started_before, spans = false } }) => {
    const { first, last } = exportRange("body", started_after, started_before, Date.now());
    if (writer === "") throw noEngine();
    const days = await daysOf(project.id, first, last, spans);
    const staleDays = days.filter(({ isFresh, isTooLarge }) => !isFresh && !isTooLarge);
    await due.ask(
      staleDays.map(({ day }) => ({ project: project.id, day })),
      spans,
    );
    if (staleDays.length > 0 && (await due.isAny())) await start(writer, {});
    const expiresAt = Date.now() + linkSeconds * 1_000;
    /** Files of a closed day go when it is written again, which this request has asked for. */
    const filesToLink = (day: ExportDay): readonly LakeFile[] =>
      day.status === "closed" && staleDays.includes(day)
        ? []
        : day.files.filter(({ table }) => spans || table !== "spans");
    const linked = (file: LakeFile) => ({ ...fileReply(file), url: objectLink(bucket, file.key, linkSeconds) });
    return {
      complete: days.every(({ isComplete }) => isComplete),
      missing: days.flatMap((day) => missingText(day) ?? []),
      expires_at: instantAt(expiresAt),
      days: days.map((day) => dayReply(day, filesToLink(day).map(linked))),
    };
  }),
);
