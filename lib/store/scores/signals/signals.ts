import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { SessionSignal, TraceScore } from "../../../domain/scores/score.ts";
import { modelOfJudge, signalOf } from "../../../domain/scores/signals.ts";
import { isPresent } from "../../../domain/scores/stale.ts";
import type { Database } from "../../database.ts";
import { unpackScore } from "../codec.ts";
import { copyPartition } from "../keys.ts";

/** What is known of a trace's signals: its newest usable score, or null where it does not apply or a run has tried and failed. */
export type KnownSignals<Name extends string = string> = ReadonlyMap<Name, SessionSignal | null>;

/** The run that asks. */
interface SignalReader<Name extends string> {
  readonly projectId: string;
  /** Its own verdicts and failures count as known, so that nobody pays for them twice. */
  readonly runId: string;
  /** Whether a verdict of a model, `<provider>/<model>`, may stand for one that it would ask for; null: a program's. */
  readonly takes: (signal: Name, model: string | null) => boolean;
}

/** A trace whose signals are asked for. */
interface SignalTrace {
  readonly traceId: string;
  readonly incarnation: string;
  readonly contentVersion: number;
}

/** Signals of a trace; not `whole`: only the newest of its scores were looked at, and they leave some open. */
interface FoundSignals<Name extends string> {
  readonly known: KnownSignals<Name>;
  readonly whole: boolean;
}

export interface SignalScores {
  /**
   * The signals that a trace has scores for, strongly read: the newest that is a success in [0, 1], and was made of the trace
   * as it is now, by a model that the run takes. What people say counts whatever they saw.
   */
  of<Name extends string>(
    reader: SignalReader<Name>,
    trace: SignalTrace,
    names: readonly Name[],
  ): Promise<KnownSignals<Name>>;
  /** The same among the newest scores of the trace. @param most that are looked at. */
  among<Name extends string>(
    reader: SignalReader<Name>,
    trace: SignalTrace,
    names: readonly Name[],
    most: number,
  ): Promise<FoundSignals<Name>>;
}

const copy = v.object({ n: v.string(), st: v.string(), dt: v.string(), d: v.instance(Uint8Array) });

/** Scores read at first, and by how many times more after each page that leaves something open: the newest mostly suffice. */
const [firstPage, growth] = [25, 4];

/** Whether a score may stand for a judgement of the trace as it is now; the run's own was paid for. */
const counts = <Name extends string>(
  { source, trace_version: version, judge, eval_run_id: run }: TraceScore,
  name: Name,
  { runId, takes }: SignalReader<Name>,
  trace: SignalTrace,
): boolean =>
  source === "ANNOTATION" ||
  run === runId ||
  (isPresent(version, trace) && takes(name, judge && modelOfJudge(judge.id)));

export const signalScores = ({ client, table }: Database): SignalScores => {
  const among = async <Name extends string>(
    reader: SignalReader<Name>,
    trace: SignalTrace,
    names: readonly Name[],
    most: number,
  ): Promise<FoundSignals<Name>> => {
    const { projectId, runId } = reader;
    const wanted = new Map<string, Name>(names.map((name) => [name, name]));
    const known = new Map<Name, SessionSignal | null>();
    const look = (item: unknown): void => {
      const { n, st, dt, d } = v.parse(copy, item);
      const name = wanted.get(n);
      if (name === undefined) return;
      if (st === "SUCCESS" && dt === "NUMERIC") {
        const score = unpackScore(d);
        if (!counts(score, name, reader, trace)) return;
        const signal = signalOf(score);
        if (signal === null && score.applicable !== false) return;
        known.set(name, signal);
        wanted.delete(n);
      } else if (st === "FAILED" && !known.has(name) && unpackScore(d).eval_run_id === runId) known.set(name, null);
    };
    let [read, page] = [0, firstPage];
    let start: Record<string, unknown> | undefined;
    do {
      const {
        Items = [],
        ScannedCount,
        LastEvaluatedKey,
      } = await client.send(
        new QueryCommand({
          TableName: table("scores"),
          KeyConditionExpression: "pk = :pk",
          FilterExpression: "i = :i",
          ExpressionAttributeValues: {
            ":pk": copyPartition("trace", projectId, trace.traceId),
            ":i": trace.incarnation,
          },
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: Math.min(page, most - read),
          ExclusiveStartKey: start,
        }),
      );
      for (const item of Items) look(item);
      read += ScannedCount ?? Items.length;
      page *= growth;
      start = LastEvaluatedKey;
    } while (start !== undefined && wanted.size > 0 && read < most);
    return { known, whole: start === undefined || wanted.size === 0 };
  };

  return {
    of: async (reader, trace, names) => (await among(reader, trace, names, Number.POSITIVE_INFINITY)).known,
    among,
  };
};
