import type { DynamoDBRecord } from "aws-lambda";
import type { EndingMarkers } from "../store/traces/silence/ending-markers.ts";
import { dayOfPartition, keyOfRow } from "../store/traces/keys.ts";

/** Reads the traces that begin to await their end by silence from stream records of the rows table, each once. */
const awaitedTraces = (records: readonly DynamoDBRecord[]) => {
  const traces = new Map<string, { readonly project: string; readonly trace: string }>();
  for (const { dynamodb } of records) {
    const [pk, sk] = [dynamodb?.Keys?.["pk"]?.B, dynamodb?.Keys?.["sk"]?.B];
    const isNew = dynamodb?.NewImage?.["e"]?.N !== undefined && dynamodb.OldImage?.["e"]?.N === undefined;
    if (!isNew || pk === undefined || sk === undefined) continue;
    const { project } = dayOfPartition(Buffer.from(pk, "base64"));
    const { traceId: trace } = keyOfRow(Buffer.from(sk, "base64"));
    traces.set(`${project}#${trace}`, { project, trace });
  }
  return traces.values();
};

/**
 * Marks traces that begin to await their end by silence. A trace is marked once: when it is due, the sweeper ends it or
 * marks it again.
 */
export const markAwaited =
  (
    markers: Pick<EndingMarkers, "mark">,
    silenceOf: (project: string) => Promise<number | null>,
    now: () => number = Date.now,
  ) =>
  async (records: readonly DynamoDBRecord[]): Promise<void> => {
    for (const { project, trace } of awaitedTraces(records)) {
      const silence = await silenceOf(project);
      if (silence !== null) await markers.mark(project, trace, now() + silence);
    }
  };
