import type { Span, Trace } from "../../client/interface.ts";
import { useLoad, type LoadState } from "../use-load.ts";
import { client } from "../sign-in.ts";

/** A trace with its spans, possibly loaded without their content. */
export interface LoadedTrace {
  readonly trace: Trace;
  /** True if the spans have their input and output. */
  readonly hasContent: boolean;
  /** True while the content of the spans is loading. */
  readonly isContentLoading: boolean;
}

/** Max spans of a trace that is loaded with content; of a longer one, each span's content is loaded when it is opened. */
const maxSpansWithContent = 400;

/** Milliseconds between reloads of an unfinished trace. */
const pollInterval = 5_000;

const isActive = (trace: Trace | null): boolean => trace?.status === "RUNNING" || trace?.status === "PENDING";

/**
 * Loads a trace: at once with span content if it has at most 400 spans. If their number is unknown, first without content,
 * which is fast at any size.
 *
 * @param spanCount number of spans by the list that the trace was opened from; null if unknown.
 */
export const useTrace = (id: string, spanCount: number | null): LoadState<LoadedTrace> => {
  const isListedSmall = spanCount !== null && spanCount <= maxSpansWithContent;
  const skeleton = useLoad<Trace | null>(
    async (signal) =>
      isListedSmall
        ? null
        : await client.value.getTrace({ path: { trace_id: id }, query: { fields: "skeleton" } }, { signal }),
    [id, isListedSmall],
    pollInterval,
    (trace) => isActive(trace) && (trace?.spans.length ?? 0) > maxSpansWithContent,
  );
  const first = skeleton.value;
  const isWithinLimit = isListedSmall || (first !== null && first.spans.length <= maxSpansWithContent);
  const fullTrace = useLoad<Trace | null>(
    async (signal) => (isWithinLimit ? await client.value.getTrace({ path: { trace_id: id } }, { signal }) : null),
    [id, isWithinLimit],
    pollInterval,
    isActive,
  );
  const value =
    fullTrace.value === null
      ? first && { trace: first, hasContent: false, isContentLoading: isWithinLimit }
      : { trace: fullTrace.value, hasContent: true, isContentLoading: false };
  return {
    value,
    error: skeleton.error ?? fullTrace.error,
    isLoading: skeleton.isLoading || fullTrace.isLoading,
    reload: () => {
      skeleton.reload();
      fullTrace.reload();
    },
  };
};

/** Returns a span with its content, which is loaded unless the trace already has it. */
export const useSpan = ({ trace, hasContent }: LoadedTrace, id: string | null): LoadState<Span | null> => {
  const listedSpan = id === null ? undefined : trace.spans.find(({ span_id: each }) => each === id);
  const needsContent = listedSpan !== undefined && !hasContent;
  const loadedSpan = useLoad(
    async (signal) =>
      needsContent && id !== null
        ? await client.value.getSpan({ path: { trace_id: trace.trace_id, span_id: id } }, { signal })
        : null,
    [trace.trace_id, needsContent, id],
  );
  return needsContent
    ? loadedSpan
    : { value: listedSpan ?? null, error: null, isLoading: false, reload: loadedSpan.reload };
};
