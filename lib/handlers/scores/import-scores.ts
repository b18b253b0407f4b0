import { hash } from "node:crypto";
import { mapConcurrently } from "../../async/concurrency.ts";
import { externalIdOf } from "../../domain/access/identity.ts";
import { scoreFlaw } from "../../domain/access/key-scope.ts";
import { userIdOf } from "../../domain/access/principal.ts";
import { instantAt } from "../../domain/instant.ts";
import type { JsonObject } from "../../domain/json.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { IdempotencyCheck } from "../../domain/idempotency-check.ts";
import type { Score } from "../../domain/scores/score.ts";
import {
  type UnparsedItem,
  type ImportedScore,
  importedScoreIds,
  type ScoreFlaw,
} from "../../domain/scores/imported-score.ts";
import { maskScore } from "../../domain/scores/mask.ts";
import { submittedScore } from "../../domain/scores/submitted-score.ts";
import { traceExpiry } from "../../domain/retention.ts";
import { externalIdKey, traceIdKey } from "../../domain/traces/telemetry.ts";
import { traceHex } from "../../otlp/wire/span-ids.ts";
import { experimentScores, maxExperimentScores } from "../../store/experiments/scores.ts";
import { sessionScoreKind, traceScoreKind } from "../../store/scores/kind.ts";
import { DifferentScore, OtherScore, scoreChanges } from "../../store/scores/changes.ts";
import { scoreReader } from "../../store/scores/reader.ts";
import { scoreCreation } from "../../store/scores/creation.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Caller, Exchange } from "../../http/exchange.ts";
import type { MaskedTraces } from "../../store/traces/masked.ts";
import { retentionDays } from "../../wiring/environment.ts";

/** Result of one score: its id in the sender's request, or the reason of its refusal with the HTTP status of such a request. */
export type ScoreOutcome =
  | { readonly kind: "stored"; readonly id: string }
  | ({ readonly kind: "refused"; readonly status: 400 | 403 | 404 } & ScoreFlaw);

/** Parts of a request that imports scores. */
type ImportRequest = Caller & Pick<Exchange, "idFor" | "warn">;

/** Target of a score that is stored with those of traces and sessions. */
type RecordTarget = Exclude<ImportedScore["target"], { readonly kind: "experiment" }>;

/** Maximum number of scores stored concurrently. */
const parallel = 10;

const rejected = (field: string, message: string, status: 400 | 403 | 404 = 400): ScoreOutcome => ({
  kind: "refused",
  status,
  field,
  message,
});

/** Returns the idempotency check of a score, which compares a hash of its content. */
const idempotencyOf = ({ target, configId, score }: ImportedScore): IdempotencyCheck => {
  const bodyHash = hash("sha256", JSON.stringify([target, configId, score]), "base64url");
  return {
    bodyHash,
    checkReplay: (storedHash) => {
      if (storedHash !== bodyHash) throw new DifferentScore("A score with this id exists with other content.");
    },
  };
};

/** The other product whose scores are imported. */
export interface ImportSource {
  /** Word of the product, see `importedScoreIds`. */
  readonly idSpace: string;
  /** The product's name of the field with a score's trace. */
  readonly traceField: string;
  /** Converts a score of the product. @returns the score, or the reason of its refusal. */
  readonly parse: (body: UnparsedItem, projectId: string) => ImportedScore | ScoreFlaw;
}

/**
 * Returns a function that stores the scores of a request independently. A score of a missing trace creates the trace. A score with an
 * API key is one of a program, whatever the request says of its source.
 */
export const scoreImporter = (
  database: Database,
  traces: Pick<MaskedTraces, "save">,
  { idSpace, traceField, parse }: ImportSource,
) => {
  const scores = scoreCreation(database);
  const traceScores = scoreChanges(database, traceScoreKind);
  const sessionScores = scoreChanges(database, sessionScoreKind);
  const ownScores = experimentScores(database);
  const readers = { trace: scoreReader(database, traceScoreKind), session: scoreReader(database, sessionScoreKind) };

  /** Creates a trace without spans; later spans fill in its name, status and times. */
  const startTrace = (project: ImportRequest["project"], traceId: string, externalId: string | null): Promise<void> => {
    const metadata: JsonObject = {
      [traceIdKey]: traceHex(traceId),
      ...(externalId !== null && { [externalIdKey]: externalId }),
    };
    const [status, started_at] = ["RUNNING", instantAt(Date.now())] as const;
    const trace = { trace_id: traceId, name: "unnamed", status, started_at, metadata };
    return traces.save(project, trace, "telemetry");
  };

  const storeFor = async (
    imported: ImportedScore,
    target: RecordTarget,
    base: Score,
    project: ImportRequest["project"],
  ): Promise<Score | null> => {
    const { configId } = imported;
    const idempotency = idempotencyOf(imported);
    if (target.kind === "session") return scores.ofSession({ ...base, session_id: target.sessionId }, idempotency);
    const { traceId, spanId, externalId = null } = target;
    const score = { ...base, trace_id: traceId, config_id: configId, span_id: spanId };
    const storedScore = await scores.ofTrace(score, idempotency);
    if (storedScore !== null) return storedScore;
    await startTrace(project, traceId, externalId);
    // The first attempt may share a read of the trace that another score of the request began before the trace was stored.
    return (await scores.ofTrace(score, idempotency)) ?? scores.ofTrace(score, idempotency);
  };

  /** Replaces what is stored under the same id. @throws OtherScore as `scoreReplacement`. */
  const replace = (imported: ImportedScore, target: RecordTarget, sent: Score): Promise<Score | null> => {
    const bodyHash = idempotencyOf(imported).bodyHash ?? undefined;
    return target.kind === "trace"
      ? traceScores.replace(sent, ({ trace_id: id }) => id === target.traceId, bodyHash)
      : sessionScores.replace(sent, ({ session_id: id }) => id === target.sessionId, bodyHash);
  };

  /** Returns the ids that scores of a request are stored under by an earlier derivation. */
  const earlierIds = async (projectId: string, imported: readonly ImportedScore[]) => {
    const storedOf = async (kind: RecordTarget["kind"], { existing }: Pick<typeof readers.trace, "existing">) => {
      const ids = imported.flatMap(({ id, target }) =>
        id === null || target.kind !== kind ? [] : [importedScoreIds(projectId, idSpace, id).earlier],
      );
      return new Set((await existing(ids.map((id) => [projectId, id]))).map(([, id]) => id));
    };
    const [trace, session] = await Promise.all([
      storedOf("trace", readers.trace),
      storedOf("session", readers.session),
    ]);
    return { trace, session };
  };

  const store = async (
    imported: ImportedScore,
    { principal, project, idFor }: ImportRequest,
    at: number,
    earlier: Awaited<ReturnType<typeof earlierIds>>,
  ): Promise<ScoreOutcome> => {
    const { id, target } = imported;
    const ids = id === null ? null : importedScoreIds(project.id, idSpace, id);
    const hasEarlierId = ids !== null && target.kind !== "experiment" && earlier[target.kind].has(ids.earlier);
    const origin = {
      // One that is stored by an earlier derivation keeps its id.
      id: ids === null ? idFor(`score:${at}`) : hasEarlierId ? ids.earlier : ids.present,
      externalId: id === null ? null : externalIdOf(id),
      project,
      author: userIdOf(principal),
      at: instantAt(Date.now()),
    };
    const source = principal.kind === "key" ? "PROGRAMMATIC" : imported.score.source;
    const sent = submittedScore({ ...imported.score, source }, origin);
    if (target.kind === "experiment") {
      const score = { ...sent, config_id: imported.configId };
      const expiresAt = traceExpiry(retentionDays(), Date.now());
      const isStored = await ownScores.put(project.id, target.experimentId, score, expiresAt);
      if (isStored) return { kind: "stored", id: id ?? origin.id };
      return rejected("datasetRunId", `An experiment has at most ${maxExperimentScores} scores of its own.`);
    }
    try {
      const storedScore = await storeFor(imported, target, sent, project);
      if (storedScore === null) return rejected("sessionId", "There is no trace of this session yet.");
      return { kind: "stored", id: id ?? origin.id };
    } catch (error) {
      if (!(error instanceof DifferentScore)) throw error;
    }
    try {
      await replace(imported, target, sent);
      return { kind: "stored", id: id ?? origin.id };
    } catch (error) {
      if (!(error instanceof OtherScore)) throw error;
      return rejected("id", "A score with this id exists of another trace or session, or with another name.");
    }
  };

  const storeOrRefuse = async (
    ...[imported, request, at, earlier]: Parameters<typeof store>
  ): Promise<ScoreOutcome> => {
    for (const sentence of imported.notes) request.warn(sentence);
    try {
      return await store(imported, request, at, earlier);
    } catch (error) {
      const reason = error instanceof Refusal ? error.reason : null;
      // The refusal of one score does not prevent the others from being stored.
      if (reason?.kind === "too-large") return rejected(traceField, reason.detail);
      if (reason?.kind === "not-found") return rejected(traceField, reason.detail, 404);
      throw error;
    }
  };

  return async (bodies: readonly UnparsedItem[], request: ImportRequest): Promise<readonly ScoreOutcome[]> => {
    const accessFlaw = scoreFlaw(request.keyAccess);
    if (accessFlaw !== null) return bodies.map(() => rejected("score", accessFlaw, 403));
    const { id: projectId, masking } = request.project;
    // Before the score's hash is made.
    const parsed = bodies.map((body) => {
      const each = parse(body, projectId);
      return "field" in each ? each : { ...each, score: maskScore(masking, each.score, each.score.data_type) };
    });
    const earlier = await earlierIds(
      projectId,
      parsed.flatMap((each) => ("field" in each ? [] : [each])),
    );
    // Of scores with one id the last one counts, so that they are stored one after another.
    const groups = Map.groupBy(parsed.entries(), ([at, each]) => ("field" in each ? null : each.id) ?? at);
    const outcomes = new Map<number, ScoreOutcome>();
    await mapConcurrently(groups.values(), parallel, async (group) => {
      for (const [at, each] of group)
        outcomes.set(
          at,
          "field" in each ? { kind: "refused", status: 400, ...each } : await storeOrRefuse(each, request, at, earlier),
        );
    });
    return parsed.flatMap((_, at) => outcomes.get(at) ?? []);
  };
};
