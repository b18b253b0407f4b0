import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { externalId } from "../../contract/schema/fields.ts";
import { uuidInProject } from "../../domain/access/identity.ts";
import type { IngestProject } from "../../domain/access/principal.ts";
import { abbreviate } from "../../domain/text.ts";
import { hasFields, type UnparsedItem } from "../../domain/scores/imported-score.ts";
import { maxViolations, notFound, Refusal } from "../../domain/refusal.ts";
import { traceDeleted, traceDeletedDetail } from "../../domain/traces/deleted-trace.ts";
import { startFlaw, type StartBounds } from "../../domain/traces/limits.ts";
import { telemetryNotes, type TelemetryNotes } from "../../domain/telemetry-notes.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Exchange, TelemetryCaller } from "../../http/exchange.ts";
import { langsmithFeedbackSource } from "../../langsmith/feedback-score.ts";
import { spanOfRun } from "../../langsmith/run-span.ts";
import { runLoc, sentRuns, type ItemFlaw, type SentRun } from "../../langsmith/sent-runs.ts";
import { tracesOf } from "../../otlp/traces/traces-of.ts";
import { traceReader } from "../../store/traces/reader.ts";
import type { MaskedTraces } from "../../store/traces/masked.ts";
import { scoreImporter } from "../scores/import-scores.ts";
import { ingest } from "../traces/ingest.ts";
import { itemProjects, projectsByTrace } from "./item-projects.ts";
import { placeRuns } from "./place-runs.ts";
import { storedRuns, type StoredRuns } from "./stored-runs.ts";

/** Runs and feedback as a request has them; absent lists are empty. */
export interface SentBatch {
  readonly post?: readonly unknown[] | null | undefined;
  readonly patch?: readonly unknown[] | null | undefined;
  readonly feedback?: readonly unknown[] | null | undefined;
  /** True if the body is the only item. */
  readonly isSingle?: true;
}

/** Returns a feedback with the UUIDs that its run and its trace have in a project. */
const inProject = (projectId: string, fields: UnparsedItem): UnparsedItem => {
  const uuids = Object.entries({ run_id: fields["run_id"], trace_id: fields["trace_id"] }).flatMap(([name, id]) =>
    v.is(externalId, id) ? [[name, uuidInProject(projectId, id)]] : [],
  );
  return { ...fields, ...Object.fromEntries(uuids) };
};

type ImportRequest = TelemetryCaller & Pick<Exchange, "idFor" | "warn">;

/** Maximum number of projects of a request that are written concurrently. */
const parallel = 4;

/**
 * Returns a function that stores a batch of LangSmith's runs and feedback. Items that cannot be stored do not prevent the others from
 * being stored.
 *
 * @throws Refusal `invalid` that names the items if none is stored, or `not-found` if that is a single one that refers to a missing run; also
 *   as `ingest`.
 */
export const batchImporter = (database: Database, traces: MaskedTraces, starts: StartBounds) => {
  const reader = traceReader(database);
  const importScores = scoreImporter(database, traces, langsmithFeedbackSource);
  const projectsOf = itemProjects(database);

  const storeRuns = async (
    project: IngestProject,
    runs: readonly SentRun[],
    stored: StoredRuns,
    notes: TelemetryNotes,
  ): Promise<readonly ItemFlaw[]> => {
    const flaws: ItemFlaw[] = [];
    const spans = [];
    const newIds = new Set(runs.flatMap(({ run, isNew }) => (isNew ? [run.id] : [])));
    for (const each of await placeRuns(stored, project.id, runs)) {
      if ("message" in each) {
        flaws.push(each);
        continue;
      }
      const message = startFlaw(each.startedAt, starts, Date.now());
      if (message === null) spans.push(spanOfRun(each, (id) => uuidInProject(project.id, id)));
      else flaws.push({ loc: runLoc({ run: each.run, isNew: newIds.has(each.run.id) }), message });
    }
    const grouped = tracesOf(spans, notes);
    const refusals = await ingest(traces, project, grouped.traces);
    return [...flaws, ...[...grouped.rejections, ...refusals].map((message) => ({ loc: ["runs"], message }))];
  };

  return async ({ post, patch, feedback, isSingle }: SentBatch, request: ImportRequest): Promise<void> => {
    const sent = sentRuns({ post: post ?? [], patch: patch ?? [] });
    const lookups = storedRuns(reader);
    const notes = telemetryNotes();
    const projects = projectsOf(request, projectsByTrace(sent.runs));
    const runs = await projects.ofRuns(sent.runs);
    const runFlaws = await mapConcurrently(runs.groups, parallel, ([project, group]) =>
      storeRuns(project, group, lookups, notes),
    );
    const sentFeedback = (feedback ?? []).map((each) => (hasFields(each) ? each : {}));
    const indexes = new Map(sentFeedback.map((each, at) => [each, at]));
    const feedbacks = await projects.ofFeedback(sentFeedback);
    const outcomes = await mapConcurrently(feedbacks.groups, parallel, ([project, group]) =>
      importScores(
        group.map((fields) => inProject(project.id, fields)),
        { ...request, project },
      ),
    );
    const scoreFlaws = feedbacks.groups.flatMap(([, group], groupAt) =>
      (outcomes[groupAt] ?? []).flatMap((each, at): ItemFlaw[] => {
        if (each.kind !== "refused") return [];
        const { field, message, type } = each;
        return [{ loc: ["feedback", indexes.get(group[at] ?? {}) ?? 0, field], message, type }];
      }),
    );
    const flaws: readonly ItemFlaw[] = [
      ...sent.flaws,
      ...runs.flaws,
      ...runFlaws.flat(),
      ...feedbacks.flaws,
      ...scoreFlaws,
    ];
    const [unread, ...others] = sent.runs.filter(({ otherFields }) => otherFields["dotted_order"] !== undefined);
    const first = abbreviate(unread?.run.id ?? "", 60);
    const runsText = `the dotted_order of ${first} and ${others.length} other runs`;
    if (unread !== undefined)
      request.warn(
        `Not read: ${runsText}, which does not end with the run and its time, or begins with another trace.`,
      );
    for (const sentence of notes.sentences()) request.warn(sentence);
    const [flaw, ...otherFlaws] = flaws;
    if (flaw === undefined) return;
    // Each run and feedback that was read is stored or has one flaw.
    const stored = sent.runs.length + (feedback ?? []).length - (flaws.length - sent.flaws.length);
    if (stored > 0) {
      for (const { loc, message } of flaws) request.warn(`Not stored: ${loc.join(".")}: ${message}`);
      return;
    }
    if (flaw.isMissing === true && otherFlaws.length === 0)
      throw flaw.message === traceDeletedDetail ? traceDeleted() : notFound(flaw.message);
    const violations = flaws.slice(0, maxViolations).map(({ loc, message, type = "value_error" }) => ({
      loc: ["body", ...loc.slice(isSingle ? 2 : 0)],
      msg: message,
      type,
    }));
    throw new Refusal({ kind: "invalid", violations });
  };
};
