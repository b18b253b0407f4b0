import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Span, Trace } from "../../client/interface.ts";
import { focusOnMount } from "../parts/form-bindings.ts";
import { InputOutput, SpanInputOutput } from "./span-content.tsx";
import { buildTranscript } from "./transcript.ts";
import { TranscriptView } from "./transcript-view.tsx";

/** Name, input, output and transcript of a trace that somebody judges. */
export const TraceReading = ({
  trace,
  selectedId,
  onSelect,
  children,
}: {
  readonly trace: Trace;
  readonly selectedId: string | null;
  readonly onSelect: (span: string | null) => void;
  /** Links below the name. */
  readonly children: ComponentChildren;
}) => {
  // The spans of a large trace come without their content.
  const hasContent = trace.spans.some(({ input, output }) => input !== null || output !== null);
  const turns = useMemo(() => buildTranscript(trace, hasContent), [trace]);
  return (
    <section class="what" aria-label="Trace">
      <h2 dir="auto" tabIndex={-1} ref={focusOnMount}>
        {trace.name}
      </h2>
      {children}
      <InputOutput {...trace} kind="AGENT" />
      {trace.spans.length > 0 && (
        <>
          <h3>Transcript</h3>
          <TranscriptView
            turns={turns}
            selectedId={selectedId}
            onSelect={onSelect}
            trace={hasContent ? null : trace.trace_id}
          />
        </>
      )}
    </section>
  );
};

/** Input and output of a span that was selected in the transcript. */
export const SpanExcerpt = ({ span }: { readonly span: Span }) => (
  <article class="span-detail">
    <h2 dir="auto">{span.name}</h2>
    <SpanInputOutput span={span} />
  </article>
);
