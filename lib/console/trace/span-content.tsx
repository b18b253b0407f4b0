import type { Span } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { client } from "../sign-in.ts";
import { Content, Text } from "../parts/content.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";

/** Input and output of a span. @param trace id of the trace to load them from; null if the span already has them. */
export const SpanContent = ({ span: skeleton, trace }: { readonly span: Span; readonly trace: string | null }) => {
  const { value, error, reload } = useLoad(
    async (signal) =>
      trace === null
        ? null
        : await client.value.getSpan({ path: { trace_id: trace, span_id: skeleton.span_id } }, { signal }),
    [trace, skeleton.span_id],
  );
  const span = trace === null ? skeleton : value;
  if (error !== null) return <ErrorAlert error={error} reload={reload} />;
  if (span === null) return <LoadingNote>Loading the span</LoadingNote>;
  return (
    <>
      <h3>Input</h3>
      <Content value={span.input} />
      <h3>Output</h3>
      {span.error === null ? <Content value={span.output} /> : <Text text={span.error} isCode />}
    </>
  );
};
