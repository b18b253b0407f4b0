import * as v from "valibot";
import { exportedTables } from "../../domain/lake/tables.ts";
import { maxExportDays } from "../../domain/lake/export-range.ts";
import { route } from "../route.ts";
import { integer, instant, oneOf, replyInstant, singleValue } from "../schema/fields.ts";

const rangeTexts = {
  from: "Start of the range: the UTC day of this instant is its first day.",
  to: `End of the range, exclusive; now if absent. A range has at most ${maxExportDays} UTC days, which come as a whole.`,
};

const fileFields = {
  table: v.pipe(oneOf(exportedTables), v.description("Table that the file is a part of.")),
  key: v.pipe(v.string(), v.description("Key of the object in the bucket of the deployment.")),
  rows: integer,
  bytes: integer,
  sha256: v.pipe(v.string(), v.description("SHA-256 of the file, hexadecimal.")),
};

const file = v.object(fileFields);
const linkedFile = v.object({
  ...fileFields,
  url: v.pipe(v.string(), v.description("Link to the file, which needs no credential and expires.")),
});

/** Schema of a day. @param files schema of its files. */
const dayOf = <File extends v.GenericSchema>(files: File) =>
  v.object({
    day: v.pipe(v.string(), v.description("UTC day on which the traces started.")),
    status: v.pipe(
      oneOf(["open", "closing", "closed"]),
      v.description(
        "`closed` if files of the whole day exist, which are written again within 13 hours after a change; `closing` in the 20 minutes before.",
      ),
    ),
    as_of: v.pipe(
      v.nullable(replyInstant),
      v.description("Instant as of which the files have the day, but for the changes; null if there are no files."),
    ),
    stored_traces: v.pipe(
      integer,
      v.description("Stored traces, counted apart from the files by hourly sums, which follow within seconds."),
    ),
    changes: v.pipe(
      integer,
      v.description("Starts of traces that have changed, come or gone since a closed day was written; 10,000 at most."),
    ),
    complete: v.pipe(
      v.boolean(),
      v.description(
        "True if the files have as many traces as are stored, and nothing has changed since they were written; of an export with `spans`, if they also have " +
          "the spans that these traces count.",
      ),
    ),
    files: v.pipe(
      v.array(files),
      v.description(
        "Empty in an export for a closed day that it has written again: links to its files would lead nowhere.",
      ),
    ),
  });

const exampleFile = {
  table: "traces" as const,
  key: "traces/project=5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11/day=2026-11-20/1795222812000-b1f0.parquet",
  rows: 20_411,
  bytes: 812_004,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};

const exampleDay = {
  day: "2026-11-20",
  status: "closed" as const,
  as_of: "2026-11-21T09:00:00.000000+00:00",
  stored_traces: 20_411,
  changes: 0,
  complete: true,
};

const days = v.pipe(
  v.object({ days: v.array(dayOf(file)) }),
  v.title("ExportDays"),
  v.description("The days of a range that have traces, newest first."),
  v.examples([{ days: [{ ...exampleDay, files: [exampleFile] }] }]),
);

const linkedDays = v.pipe(
  v.object({
    complete: v.pipe(v.boolean(), v.description("True if every day of the range is complete.")),
    missing: v.pipe(v.array(v.string()), v.description("A sentence for each day that is not complete.")),
    expires_at: v.pipe(replyInstant, v.description("Instant at which the links expire.")),
    days: v.array(dayOf(linkedFile)),
  }),
  v.title("Export"),
  v.description("Links to the files of a range, newest day first."),
  v.examples([
    {
      complete: true,
      missing: [],
      expires_at: "2026-11-21T09:15:00.000000+00:00",
      days: [
        {
          ...exampleDay,
          files: [
            { ...exampleFile, url: "https://bucket.s3.eu-central-1.amazonaws.com/traces/...?X-Amz-Signature=..." },
          ],
        },
      ],
    },
  ]),
);

const common = {
  path: "/exports",
  handler: "api/traces/exports",
  resource: "exports",
  access: "project",
  permission: "read",
  success: 200,
  grants: {
    rows: ["Query"],
    aggregates: ["Query", "PutItem"],
  },
  exportsFiles: true,
} as const;

export const listExportDays = route({
  ...common,
  id: "listExportDays",
  method: "GET",
  summary: "List exported days",
  description:
    "Returns the days of the project that have traces, with their files in Parquet and a proof that these have all traces. Without `started_after` " +
    "the range begins 30 days before its end. See `/docs/exports`.",
  query: v.object({
    started_after: v.optional(singleValue(v.pipe(instant, v.description(rangeTexts.from)))),
    started_before: v.optional(singleValue(v.pipe(instant, v.description(rangeTexts.to)))),
  }),
  reply: days,
  memory: 1024,
});

export const createExport = route({
  ...common,
  id: "createExport",
  answeredBy: listExportDays.id,
  method: "POST",
  idempotency: "none",
  summary: "Create an export",
  description:
    "Returns links to the files of all traces of a range and their scores, in Parquet, and with `spans` to those of their spans and texts. Files that do not exist yet, or are older than 15 minutes and lack " +
    "changes, are written in the background: send the request again until `complete` is true. A day that is not over is complete for a moment only; `as_of` says as of when. " +
    "See `/docs/exports`.",
  body: v.pipe(
    v.object({
      started_after: v.pipe(instant, v.description(rangeTexts.from)),
      started_before: v.optional(v.pipe(instant, v.description(rangeTexts.to))),
      spans: v.optional(
        v.pipe(
          v.boolean(),
          v.description(
            "True for the spans as well, and the inputs, outputs and metadata of traces and spans. From then on closed days keep these files.",
          ),
        ),
      ),
    }),
    v.title("ExportInput"),
    v.examples([{ started_after: "2026-11-01" }]),
  ),
  conflict: "The service has no DuckDB, which writes the files.",
  reply: linkedDays,
});
