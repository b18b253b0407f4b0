import { inTurns } from "../../async/in-turns.ts";
import { timeoutResult, withTimeout } from "../../async/concurrency.ts";
import { Refusal } from "../../domain/refusal.ts";
import { tooManySpansDetail } from "../../domain/traces/limits.ts";
import { setFieldsOf, setStartOf } from "../../domain/traces/parts/set-fields.ts";
import { mergeSpans } from "../../domain/traces/merge.ts";
import { topSpansOf } from "../../domain/traces/telemetry.ts";
import type { PartialTrace } from "../../otlp/traces/traces-of.ts";
import { isThrottled } from "../../dynamo/failure.ts";
import type { MaskedTraces, StoringProject } from "../../store/traces/masked.ts";

/** Time limits of an ingest request, in milliseconds after its start. */
interface IngestTimes {
  /** Time after which no further trace is started; most exporters wait for 10 s. */
  readonly begin: number;
  /** Time after which throttled traces are not tried again: another round of attempts may take as long. */
  readonly repeat: number;
  /** Time after which the request is answered even if traces are still being stored. */
  readonly answer: number;
}

const defaultTimes: IngestTimes = { begin: 7_000, repeat: 2_000, answer: 9_000 };

/** Maximum number of traces stored concurrently; at 10 ms each this is twice the write capacity of a DynamoDB partition. */
const parallel = 20;

const incomplete = (): Refusal =>
  new Refusal({
    kind: "rate-limited",
    detail: "Not all traces could be stored in time. Send the request again: stored traces are not stored twice.",
    retryAfter: null,
  });

/** Refusal of a request whose traces are not stored when the time limit for the answer is reached. */
const timedOut = (): Refusal =>
  new Refusal({ kind: "unavailable", detail: "Storing the traces takes too long at the moment. Try again." });

/** Returns the reason why a trace can never be stored, or in a project never; null if a later attempt may succeed. */
export const permanentFlaw = ({ reason }: Refusal): string | null => {
  if (reason.kind === "invalid") return reason.violations.map(({ msg }) => msg).join(" ");
  return ["too-large", "forbidden", "not-found"].includes(reason.kind) ? reason.detail : null;
};

/**
 * Returns a trace with its root only, for a trace that has no room for its other spans; without the root what a client has set for the
 * trace. Null if nothing less is to be stored.
 */
const withFewerSpans = ({ trace, spanCount }: PartialTrace): PartialTrace | null => {
  const spans = mergeSpans([], trace.spans ?? []);
  const [root] = topSpansOf(spans);
  if (root !== undefined && spanCount > 1) return { trace: { ...trace, spans: [root] }, spanCount: 1 };
  const hasSettings = setFieldsOf(trace.metadata).size > 0 || setStartOf(trace.metadata) !== null;
  return hasSettings && spanCount > 0 ? { trace: { ...trace, spans: [] }, spanCount: 0 } : null;
};

/** A trace of which something can never be stored. */
interface TraceRefusal {
  readonly traceId: string;
  readonly message: string;
  /** Number of spans that are not stored. */
  readonly spanCount: number;
  /** True if what a client has set for the trace is stored. */
  readonly keepsFields: boolean;
  /** Id of the root, if that is stored; null if no span is. */
  readonly storedSpan: string | null;
}

/**
 * Stores the traces of one request. Unknown traces come first, so that each repetition of a request makes progress. Traces
 * throttled by DynamoDB are retried after the others.
 *
 * @returns the traces of which something can never be stored.
 * @throws Refusal `rate-limited` when some traces could not be stored in time and the client must send the request again.
 */
export const ingestTraces = async (
  traces: Pick<MaskedTraces, "snapshots" | "saveKnown">,
  project: StoringProject,
  exported: readonly PartialTrace[],
  { begin, repeat, answer }: IngestTimes = defaultTimes,
  now: () => number = Date.now,
): Promise<readonly TraceRefusal[]> => {
  const [until, repeatUntil] = [now() + begin, now() + repeat];

  const work = async (): Promise<readonly TraceRefusal[]> => {
    const refusals: TraceRefusal[] = [];
    const ids = exported.map(({ trace }) => trace.trace_id);
    const snapshots = await traces.snapshots(project.id, ids);
    let due = exported.toSorted(
      (a, b) => Number(snapshots.has(a.trace.trace_id)) - Number(snapshots.has(b.trace.trace_id)),
    );
    while (due.length > 0) {
      const busy: PartialTrace[] = [];
      const store = async (each: PartialTrace): Promise<void> => {
        const { trace, spanCount } = each;
        try {
          await traces.saveKnown(project, trace, snapshots.get(trace.trace_id) ?? null);
        } catch (error) {
          const flaw = error instanceof Refusal ? permanentFlaw(error) : null;
          if (flaw !== null) {
            const rest = flaw === tooManySpansDetail ? withFewerSpans(each) : null;
            refusals.push({
              traceId: trace.trace_id,
              message: flaw,
              spanCount: spanCount - (rest?.spanCount ?? 0),
              keepsFields: rest !== null,
              storedSpan: rest?.trace.spans?.[0]?.span_id ?? null,
            });
            if (rest !== null) await store(rest);
          } else if (isThrottled(error)) busy.push(each);
          else throw error;
        }
      };
      const { isIncomplete: hasRemaining, failures } = await inTurns(due, store, { until, now, concurrency: parallel });
      if (failures.length > 0) throw failures[0];
      if (hasRemaining || (busy.length > 0 && now() >= repeatUntil)) throw incomplete();
      due = busy;
    }
    return refusals;
  };

  const refusals = await withTimeout(work(), answer);
  if (refusals === timeoutResult) throw timedOut();
  return refusals;
};

/** Stores traces as `ingestTraces`. @returns the reason for each span that can never be stored, one entry per span. */
export const ingest = async (...sent: Parameters<typeof ingestTraces>): Promise<readonly string[]> =>
  (await ingestTraces(...sent)).flatMap(({ message, spanCount }) => Array<string>(spanCount).fill(message));
