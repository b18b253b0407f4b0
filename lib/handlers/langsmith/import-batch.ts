import { mapConcurrently } from "../../async/concurrency.ts";
import type { IngestProject } from "../../domain/access/principal.ts";
import type { Fields } from "../../domain/scores/imported-score.ts";
import { maxViolations, notFound, Refusal } from "../../domain/refusal.ts";
import { startFlaw, type StartBounds } from "../../domain/traces/limits.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Exchange, TelemetryCaller } from "../../http/exchange.ts";
import { langsmithFeedbackSource } from "../../langsmith/feedback-score.ts";
import { spanOfRun } from "../../langsmith/run-span.ts";
import { sentRuns, type ItemFlaw, type SentRun } from "../../langsmith/sent-runs.ts";
import { tracesOf } from "../../otlp/traces/traces-of.ts";
import { traceReader } from "../../store/traces/reader.ts";
import type { Traces } from "../../store/traces/save.ts";
import { scoreImporter } from "../scores/import-scores.ts";
import { ingest } from "../traces/ingest.ts";
import { itemProjects, projectsByTrace } from "./item-projects.ts";
import { runPlacer } from "./place-runs.ts";

/** Runs and feedback as a request has them; absent lists are empty. */
export interface SentBatch {
  readonly post?: readonly Fields[];
  readonly patch?: readonly Fields[];
  readonly feedback?: readonly Fields[];
}

type ImportRequest = TelemetryCaller & Pick<Exchange, "idFor">;

/** Maximum number of projects of a request that are written concurrently. */
const parallel = 4;

/**
 * Returns a function that stores a batch of LangSmith's runs and feedback. Items that cannot be stored do not prevent the others from
 * being stored.
 *
 * @throws Refusal `invalid` that names the items which are not stored, or `not-found` if that is a single one that refers to a missing run; also as
 *   `ingest`.
 */
export const batchImporter = (database: Database, traces: Traces, starts: StartBounds) => {
  const placeRuns = runPlacer(traceReader(database));
  const importScores = scoreImporter(database, traces, langsmithFeedbackSource);
  const projectsOf = itemProjects(database);

  const storeRuns = async (project: IngestProject, runs: readonly SentRun[]): Promise<readonly ItemFlaw[]> => {
    const flaws: ItemFlaw[] = [];
    const spans = [];
    for (const each of await placeRuns(project.id, runs)) {
      if ("message" in each) {
        flaws.push(each);
        continue;
      }
      const message = startFlaw(each.startedAt, starts, Date.now());
      if (message === null) spans.push(spanOfRun(each));
      else flaws.push({ loc: ["runs", each.run.id], message });
    }
    const grouped = tracesOf(spans);
    const refusals = await ingest(traces, project, grouped.traces);
    return [...flaws, ...[...grouped.rejections, ...refusals].map((message) => ({ loc: ["runs"], message }))];
  };

  return async ({ post = [], patch = [], feedback = [] }: SentBatch, request: ImportRequest): Promise<void> => {
    const sent = sentRuns({ post, patch });
    const projects = projectsOf(request, projectsByTrace(sent.runs));
    const runs = await projects.ofRuns(sent.runs);
    const runFlaws = await mapConcurrently(runs.groups, parallel, ([project, group]) => storeRuns(project, group));
    const feedbacks = await projects.ofFeedback(feedback);
    const outcomes = await mapConcurrently(feedbacks.groups, parallel, ([project, group]) =>
      importScores(group, { ...request, project }),
    );
    const scoreFlaws = outcomes
      .flat()
      .flatMap((each) => (each.kind === "refused" ? [{ loc: ["feedback", each.field], message: each.message }] : []));
    const flaws: readonly ItemFlaw[] = [
      ...sent.flaws,
      ...runs.flaws,
      ...runFlaws.flat(),
      ...feedbacks.flaws,
      ...scoreFlaws,
    ];
    const [flaw, ...otherFlaws] = flaws;
    if (flaw === undefined) return;
    if (flaw.isMissing === true && otherFlaws.length === 0) throw notFound(flaw.message);
    const violations = flaws.slice(0, maxViolations).map(({ loc, message }) => ({
      loc: ["body", ...loc],
      msg: message,
      type: "value_error" as const,
    }));
    throw new Refusal({ kind: "invalid", violations });
  };
};
