import type { Span, Trace } from "../../client/interface.ts";
import { maxSpansWithContent } from "../../domain/traces/limits.ts";
import { useLoad, type LoadState } from "../use-load.ts";
import { preloadSpanContent } from "./lazy-span-content.tsx";
import { hasFailed } from "./span-tree.ts";
import { client } from "../sign-in.ts";

/** A trace with its spans, of a large one without their content. */
export interface LoadedTrace {
  readonly trace: Trace;
  /** True if the spans have their input and output. */
  readonly hasContent: boolean;
}

/** Milliseconds between reloads of an unfinished trace. */
const pollInterval = 5_000;

const isActive = (loaded: LoadedTrace | null): boolean =>
  loaded?.trace.status === "RUNNING" || loaded?.trace.status === "PENDING";

/** Loads a trace with one request. The content of a large trace's spans is loaded when they are opened. */
export const useTrace = (id: string): LoadState<LoadedTrace> =>
  useLoad(
    async (signal) => {
      const trace = await client.value.getTrace({ path: { trace_id: id }, query: { fields: "auto" } }, { signal });
      const hasContent = trace.spans.length <= maxSpansWithContent;
      if (hasContent && trace.spans.some(hasFailed)) await preloadSpanContent();
      return { trace, hasContent };
    },
    [id],
    pollInterval,
    isActive,
  );

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
