import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { SessionSignal, TraceScore } from "../../../domain/scores/score.ts";
import { modelOfJudge, signalOf, type SignalName } from "../../../domain/scores/signals.ts";
import { isPresent } from "../../../domain/scores/stale.ts";
import type { Database } from "../../database.ts";
import { unpackScore } from "../codec.ts";
import { copyPartition } from "../keys.ts";

/** What is known of a trace's signals: its newest usable score, or null where it does not apply or a run has tried and failed. */
export type KnownSignals = ReadonlyMap<SignalName, SessionSignal | null>;

/** The run that asks. */
interface SignalReader {
  readonly projectId: string;
  /** Its own verdicts and failures count as known, so that nobody pays for them twice. */
  readonly runId: string;
  /** Whether a verdict of a model, `<provider>/<model>`, may stand for one that it would ask for; null: a program's. */
  readonly takes: (signal: SignalName, model: string | null) => boolean;
}

/** A trace whose signals are asked for. */
interface SignalTrace {
  readonly traceId: string;
  readonly incarnation: string;
  readonly contentVersion: number;
}

export interface SignalScores {
  /**
   * The signals that a trace has scores for, strongly read: the newest that is a success in [0, 1], and was made of the trace
   * as it is now, by a model that the run takes. What people say counts whatever they saw.
   */
  of(reader: SignalReader, trace: SignalTrace, names: readonly SignalName[]): Promise<KnownSignals>;
}

const copy = v.object({ n: v.string(), st: v.string(), dt: v.string(), d: v.instance(Uint8Array) });

/** Whether a score may stand for a judgement of the trace as it is now; the run's own was paid for. */
const counts = (
  { source, trace_version: version, judge, eval_run_id: run }: TraceScore,
  name: SignalName,
  { runId, takes }: SignalReader,
  trace: SignalTrace,
): boolean =>
  source === "ANNOTATION" ||
  run === runId ||
  (isPresent(version, trace) && takes(name, judge && modelOfJudge(judge.id)));

export const signalScores = ({ client, table }: Database): SignalScores => ({
  of: async (reader, trace, names) => {
    const { projectId, runId } = reader;
    const wanted = new Map<string, SignalName>(names.map((name) => [name, name]));
    const known = new Map<SignalName, SessionSignal | null>();
    const pages = paginateQuery(
      { client },
      {
        TableName: table("scores"),
        KeyConditionExpression: "pk = :pk",
        FilterExpression: "i = :i",
        ExpressionAttributeValues: { ":pk": copyPartition("trace", projectId, trace.traceId), ":i": trace.incarnation },
        ScanIndexForward: false,
        ConsistentRead: true,
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        const { n, st, dt, d } = v.parse(copy, item);
        const name = wanted.get(n);
        if (name === undefined) continue;
        if (st === "SUCCESS" && dt === "NUMERIC") {
          const score = unpackScore(d);
          if (!counts(score, name, reader, trace)) continue;
          const signal = signalOf(score);
          if (signal === null && score.applicable !== false) continue;
          known.set(name, signal);
          wanted.delete(n);
        } else if (st === "FAILED" && !known.has(name) && unpackScore(d).eval_run_id === runId) known.set(name, null);
      }
    }
    return known;
  },
});
