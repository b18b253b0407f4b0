import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { LabelQueuePlace, LabelSet, Trace } from "../../client/interface.ts";
import { LabelForm } from "../labels/label-form.tsx";
import { SetProgress } from "../labels/set-progress.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { focusOnMount } from "../parts/form-bindings.ts";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { InputOutput, SpanInputOutput } from "../trace/span-content.tsx";
import { buildTranscript } from "../trace/transcript.ts";
import { TranscriptView } from "../trace/transcript-view.tsx";
import { useLoad } from "../use-load.ts";

/** Milliseconds between requests for an item while others hold all. */
const pollInterval = 10_000;

const reasons = {
  done: "Done: every trace of this set that has a place left has your label.",
  all_leased: "Somebody else holds the rest. A trace appears here when it becomes free.",
} as const;

interface ItemProps {
  readonly set: LabelSet;
  readonly item: NonNullable<LabelQueuePlace["item"]>;
  readonly trace: Trace;
  readonly onNext: () => void;
}

/** Input, output and transcript of a trace without scores, beside the form for its labels. */
const ItemToLabel = ({ trace, ...form }: ItemProps) => {
  // The spans of a large trace come without their content.
  const hasContent = trace.spans.some(({ input, output }) => input !== null || output !== null);
  const turns = useMemo(() => buildTranscript(trace, hasContent), [trace]);
  const selected = useSignal<string | null>(null);
  const span = trace.spans.find(({ span_id: id }) => id === selected.value);
  return (
    <div class="columns">
      <section class="what" aria-label="Trace">
        <h2 dir="auto" tabIndex={-1} ref={focusOnMount}>
          {trace.name}
        </h2>
        <InputOutput {...trace} kind="AGENT" />
        {trace.spans.length > 0 && <h3>Transcript</h3>}
        {trace.spans.length > 0 && (
          <TranscriptView
            turns={turns}
            selectedId={selected.value}
            onSelect={(id) => (selected.value = id)}
            trace={hasContent ? null : trace.trace_id}
          />
        )}
      </section>
      <section class="why" aria-label="Labels">
        <LabelForm {...form} />
        {span !== undefined && (
          <article class="span-detail">
            <h2 dir="auto">{span.name}</h2>
            <SpanInputOutput span={span} />
          </article>
        )}
      </section>
    </div>
  );
};

/** Page that shows a person one trace of a label set after the other, without scores, and takes their labels. */
export const LabelPage = ({ id: set_id }: { readonly id: string }) => {
  const path = { set_id };
  const set = useLoad((signal) => client.value.getLabelSet({ path }, { signal }), []);
  const next = useLoad(
    () => client.value.takeNextLabelItem({ path }),
    [],
    pollInterval,
    (place) => place?.reason === "all_leased",
  );
  const { item, trace, reason = null, set: progress } = next.value ?? {};
  return (
    <main class="labelling">
      <header class="title">
        <h1 dir="auto">{set.value?.name ?? "Label"}</h1>
        <p class="facts" role="status">
          {progress && <SetProgress {...progress} />}
          {progress && `${progress.own_count} by you`}
        </p>
        <a href={hrefTo("label-sets")}>All label sets</a>
      </header>
      <ErrorAlert {...set} />
      <ErrorAlert {...next} />
      {next.isLoading && <LoadingNote>Taking a trace</LoadingNote>}
      {reason !== null && (
        <div class="empty">
          <p role="status">{reasons[reason]}</p>
          <button type="button" onClick={next.reload}>
            Look again
          </button>
        </div>
      )}
      {!next.isLoading && set.value && item && trace && (
        <ItemToLabel key={item.id} set={set.value} item={item} trace={trace} onNext={next.reload} />
      )}
    </main>
  );
};
