import { hash } from "node:crypto";
import { sideBySide } from "../../async/side-by-side.ts";
import { derivedUuid } from "../../domain/access/identity.ts";
import { type CallersProject, type Principal, userOf } from "../../domain/access/principal.ts";
import { instantAt } from "../../domain/instant.ts";
import type { JsonObject } from "../../domain/json.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Repeat } from "../../domain/repeat.ts";
import type { Score } from "../../domain/scores/score.ts";
import { submittedScore } from "../../domain/scores/submitted-score.ts";
import { traceIdKey } from "../../domain/traces/telemetry.ts";
import { type Flaw, readScore, type ReadScore } from "../../langfuse/score-of.ts";
import { traceHex } from "../../otlp/span-ids.ts";
import { scoreCreation } from "../../store/scores/creation.ts";
import type { Database } from "../../store/database.ts";
import type { Traces } from "../../store/traces/save.ts";

/** What became of a score: the id by which its sender knows it, or why it was not stored. */
export type Taken = { readonly kind: "stored"; readonly id: string } | ({ readonly kind: "refused" } & Flaw);

/** What is known of a request with scores. */
interface Sending {
  readonly principal: Principal;
  readonly project: Pick<CallersProject, "id" | "metadataKeys">;
  readonly mint: (position: string) => string;
}

/** Scores stored at a time. */
const parallel = 10;

const refused = (field: string, words: string): Taken => ({ kind: "refused", field, words });

/** A score that is stored under the same id says something else. */
class SaysElse extends Error {
  override readonly name = "SaysElse";
}

/** By what a score is known when it is sent again: by all that it says. */
const repeatOf = ({ target, configId, score }: ReadScore): Repeat => {
  const bodyHash = hash("sha256", JSON.stringify([target, configId, score]), "base64url");
  return {
    bodyHash,
    met: (stored) => {
      if (stored !== bodyHash) throw new SaysElse("The score with this id says something else.");
    },
  };
};

/** Stores scores that Langfuse's SDKs send, each by itself; of a trace that is not there yet the beginning. */
export const scoreTaker = (database: Database, traces: Pick<Traces, "save">) => {
  const scores = scoreCreation(database);

  /** A trace without spans, which becomes what its spans say once they come. */
  const begin = (project: Sending["project"], traceId: string): Promise<void> => {
    const trace = {
      trace_id: traceId,
      name: "unnamed",
      status: "RUNNING",
      started_at: instantAt(Date.now()),
      metadata: { [traceIdKey]: traceHex(traceId) },
    } as const;
    return traces.save(project.id, trace, "telemetry", project.metadataKeys);
  };

  const storeFor = async (read: ReadScore, own: Score, project: Sending["project"]): Promise<Score | null> => {
    const { target, configId } = read;
    const repeat = repeatOf(read);
    if (target.kind === "session") return scores.ofSession({ ...own, session_id: target.sessionId }, repeat);
    const { traceId, spanId } = target;
    const score = { ...own, trace_id: traceId, config_id: configId, span_id: spanId };
    const stored = await scores.ofTrace(score, repeat);
    if (stored !== null) return stored;
    await begin(project, traceId);
    return scores.ofTrace(score, repeat);
  };

  const store = async (read: ReadScore, { principal, project, mint }: Sending, at: number): Promise<Taken> => {
    const { id } = read;
    const made = {
      id: id === null ? mint(`score:${at}`) : derivedUuid(project.id, "langfuse-score", id),
      projectId: project.id,
      author: userOf(principal),
      at: instantAt(Date.now()),
    };
    try {
      const stored = await storeFor(read, submittedScore(read.score, made), project);
      if (stored === null) return refused("sessionId", "There is no trace of this session yet.");
      return { kind: "stored", id: id ?? made.id };
    } catch (error) {
      if (!(error instanceof SaysElse)) throw error;
      return refused("id", `A score with this id is there and says something else: change it as ${made.id}.`);
    }
  };

  const take = async (sent: JsonObject, sending: Sending, at: number): Promise<Taken> => {
    const read = readScore(sent);
    if ("field" in read) return { kind: "refused", ...read };
    try {
      return await store(read, sending, at);
    } catch (error) {
      const reason = error instanceof Refusal ? error.reason : null;
      // What is wrong with one score keeps none of the others from being stored.
      if (reason?.kind === "too-large") return refused("traceId", reason.detail);
      throw error;
    }
  };

  return (sent: readonly JsonObject[], sending: Sending): Promise<readonly Taken[]> =>
    sideBySide(sent.entries(), parallel, ([at, each]) => take(each, sending, at));
};
