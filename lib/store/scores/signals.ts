import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { SignalName } from "../../domain/scores/signals.ts";
import type { Database } from "../database.ts";
import { unpackScore } from "./codec.ts";
import { copyPartition } from "./keys.ts";
import type { Witness } from "../traces/witness.ts";

/** What is known of a trace's signals: its newest usable score, or null where it does not apply or a run has tried and failed. */
export type KnownSignals = ReadonlyMap<SignalName, number | null>;

export interface SignalScores {
  /**
   * The signals that a trace has scores for, strongly read: the newest that succeeded, is a number and lies in [0, 1].
   *
   * @param run whose own failures count as known, so that nobody pays for them twice.
   */
  of(project: string, run: string, trace: Witness, names: readonly SignalName[]): Promise<KnownSignals>;
}

const copy = v.object({ n: v.string(), st: v.string(), dt: v.string(), d: v.instance(Uint8Array) });

export const signalScores = ({ client, table }: Database): SignalScores => ({
  of: async (project, run, { traceId, incarnation }, names) => {
    const wanted = new Map<string, SignalName>(names.map((name) => [name, name]));
    const known = new Map<SignalName, number | null>();
    const pages = paginateQuery(
      { client },
      {
        TableName: table("scores"),
        KeyConditionExpression: "pk = :pk",
        FilterExpression: "i = :i",
        ExpressionAttributeValues: { ":pk": copyPartition("trace", project, traceId), ":i": incarnation },
        ScanIndexForward: false,
        ConsistentRead: true,
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        const { n, st, dt, d } = v.parse(copy, item);
        const name = wanted.get(n);
        if (name === undefined || typeof known.get(name) === "number") continue;
        if (st === "SUCCESS" && dt === "NUMERIC") {
          const { applicable, value } = unpackScore(d);
          const number = Number(value ?? Number.NaN);
          if (applicable === false) {
            known.set(name, null);
            wanted.delete(n);
          } else if (number >= 0 && number <= 1) known.set(name, number);
        } else if (st === "FAILED" && unpackScore(d).eval_run_id === run) known.set(name, null);
      }
    }
    return known;
  },
});
