import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useShortcuts } from "../shortcuts.ts";
import type { TraceScore } from "../../client/interface.ts";
import { useLoad, type LoadState } from "../use-load.ts";
import { listPosition, type ListPosition } from "../traces/list-position.ts";
import { navigate, hrefTo, route, updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { EvaluateDialog } from "../runs/lazy-evaluate-dialog.ts";
import { lazyPart } from "../parts/lazy.tsx";
import { TraceHeader } from "../trace/trace-header.tsx";
import { TranscriptView } from "../trace/transcript-view.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LazyTraceScores } from "../trace/lazy-trace-scores.tsx";
import { CompareForm } from "../trace/compare-form.tsx";
import { SearchBar } from "../trace/search-bar.tsx";
import { findSpans } from "../trace/span-search.ts";
import { ViewSwitch } from "../trace/view-switch.tsx";
import { Skeleton } from "../display/skeleton.tsx";
import { useScrollRestoration } from "../parts/use-scroll-restoration.ts";
import { LoadingNote } from "../parts/loading-note.tsx";
import { buildTranscript } from "../trace/transcript.ts";
import { buildSpanTree } from "../trace/span-tree.ts";
import { useSpan, useTrace, type LoadedTrace } from "../trace/use-trace.ts";

const BesideView = lazyPart(async () => (await import("../trace/beside.tsx")).BesideView);
const SpanAside = lazyPart(
  async () => (await import("../trace/span-aside.tsx")).SpanAside,
  undefined,
  <div class="span-detail" aria-busy="true" />,
);
const WordMarks = lazyPart(async () => (await import("../content/word-marks.tsx")).WordMarks);
const TraceTree = lazyPart(async () => (await import("../trace/trace-tree.tsx")).TraceTree);

/** Milliseconds between reloads of the scores, which a run may still add. */
const pollInterval = 10_000;

/** Query parameters of the trace page itself; all others are the filters of the list it was opened from. */
const viewParameters = new Set(["span", "view", "find", "failed", "scale", "beside"]);

/** Button to the previous or next trace of the list; disabled without one. */
const Step = ({
  shortcut,
  open,
  children,
}: {
  readonly shortcut: string;
  readonly open: (() => void) | null;
  readonly children: string;
}) => (
  <button
    type="button"
    class="quiet"
    disabled={open === null}
    onClick={() => open?.()}
    title={`${children} trace of the list`}
  >
    {children} <kbd>{shortcut}</kbd>
  </button>
);

const TraceView = ({
  loaded,
  scores,
  evaluatedId,
  back,
  stepTo,
}: {
  readonly loaded: LoadedTrace;
  readonly scores: LoadState<readonly TraceScore[]>;
  /** Id of the trace whose evaluation is prepared in a dialog; null without one. */
  readonly evaluatedId: Signal<string | null>;
  readonly back: string;
  readonly stepTo: (offset: 1 | -1) => (() => void) | null;
}) => {
  const { trace, hasContent } = loaded;
  const { trace_id: id } = trace;
  useScrollRestoration(true);
  const { query } = route.value;
  const view = query["view"] === "timeline" ? "timeline" : "transcript";
  const nodes = useMemo(() => buildSpanTree(trace.spans), [trace]);
  const turns = useMemo(() => buildTranscript(trace, hasContent), [trace, hasContent]);
  const { find = "", beside = null, q = "" } = query;
  const matches = useMemo(() => (find.trim() === "" ? null : findSpans(trace.spans, find)), [trace, find]);
  const selectedId = query["span"] ?? null;
  const span = useSpan(loaded, selectedId);
  const hasSelection = selectedId !== null && trace.spans.some(({ span_id: each }) => each === selectedId);
  const selectSpan = (next: string | null): void => updateQuery({ span: next });
  const change = (): void => updateQuery({ view: view === "timeline" ? null : "timeline" });
  useShortcuts({
    t: [change, "transcript or timeline"],
    e: [() => (evaluatedId.value = id), "evaluate", true],
    "[": [() => stepTo(-1)?.(), "previous trace"],
    "]": [() => stepTo(1)?.(), "next trace"],
    Escape: [() => (hasSelection ? selectSpan(null) : navigate(back)), "back"],
  });
  return (
    <>
      {`${find}${q}`.trim() !== "" && <WordMarks find={find} query={q} />}
      {beside !== null && (
        <>
          <div class="tools">
            <CompareForm otherId={beside} />
          </div>
          <BesideView key={beside} base={loaded} otherId={beside} selectedId={selectedId} onSelect={selectSpan} />
        </>
      )}
      {beside === null && (
        <div class={hasSelection || scores.value?.length !== 0 ? "columns" : "what"}>
          <section class="what" aria-label="Trace">
            <div class="tools">
              <ViewSwitch view={view} onChange={change} />
              <SearchBar
                text={find}
                matches={matches}
                selectedId={selectedId}
                onSelect={selectSpan}
                unloadedCount={hasContent ? 0 : trace.spans.length}
              />
              <CompareForm otherId={null} />
            </div>
            {view === "timeline" && (
              <TraceTree nodes={nodes} matches={matches} selectedId={selectedId} onSelect={selectSpan} />
            )}
            {view === "transcript" && (
              <TranscriptView
                turns={turns}
                selectedId={selectedId}
                onSelect={selectSpan}
                trace={hasContent ? null : id}
              />
            )}
          </section>
          <section class={hasSelection ? "why of-span" : "why"} aria-label="Scores and span">
            {hasSelection && span.value !== null && <SpanAside span={span.value} onClose={() => selectSpan(null)} />}
            {hasSelection && span.value === null && span.error === null && <LoadingNote>Loading the span</LoadingNote>}
            {hasSelection && span.error !== null && <ErrorAlert error={span.error} reload={span.reload} />}
            {scores.value?.length !== 0 && (
              <LazyTraceScores scores={scores} spans={trace.spans} onSelectSpan={selectSpan} />
            )}
          </section>
        </div>
      )}
      {evaluatedId.value === id && (
        <EvaluateDialog targets={{ kind: "traces", ids: [id] }} onClose={() => (evaluatedId.value = null)} />
      )}
    </>
  );
};

/** Returns the position of a trace in the list it was opened from; null if the list does not contain it. */
const positionInList = (id: string): ListPosition | null => {
  const list = listPosition.value;
  if (list === null || list.at(list.index)?.trace_id === id) return list;
  const position = Array.from({ length: list.total }, (_, index) => index).find(
    (index) => list.at(index)?.trace_id === id,
  );
  return position === undefined ? null : { ...list, index: position };
};

/** Page of a trace: transcript or timeline, beside its scores and the selected span. */
export const TracePage = ({ id }: { readonly id: string }) => {
  const { query } = route.value;
  const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !viewParameters.has(name)));
  const back = hrefTo("traces", null, filters);
  const list = positionInList(id);
  const { value, error, reload } = useTrace(id);
  const scores = useLoad(
    (signal) => client.value.getTraceScores({ path: { score_id: id } }, { signal }),
    [id],
    pollInterval,
  );
  const evaluatedId = useSignal<string | null>(null);
  const position = list?.index;
  useEffect(() => {
    if (list !== null) listPosition.value = list;
  }, [position]);
  const stepTo = (offset: 1 | -1): (() => void) | null => {
    const next = list?.at(list.index + offset);
    if (list === null || next === undefined) return null;
    return () => {
      listPosition.value = { ...list, index: list.index + offset };
      navigate(hrefTo("traces", next.trace_id, { ...filters, view: query["view"] ?? null }));
    };
  };
  const steps = (
    <p class="buttons">
      <a href={back}>← Traces</a>
      {list !== null && (
        <>
          <Step shortcut="[" open={stepTo(-1)}>
            Previous
          </Step>
          <Step shortcut="]" open={stepTo(1)}>
            Next
          </Step>
          <span class="faint">
            {list.index + 1} of {list.total}
          </span>
        </>
      )}
    </p>
  );
  return (
    <main class="trace" aria-busy={value === null && error === null}>
      <TraceHeader trace={value?.trace ?? null} steps={steps} onEvaluate={() => (evaluatedId.value = id)} />
      <ErrorAlert error={error} reload={reload} />
      {value === null && error === null && (
        <>
          <LoadingNote>Loading the trace</LoadingNote>
          <Skeleton />
        </>
      )}
      {value !== null && (
        <TraceView
          key={value.trace.trace_id}
          loaded={value}
          scores={scores}
          evaluatedId={evaluatedId}
          back={back}
          stepTo={stepTo}
        />
      )}
    </main>
  );
};
