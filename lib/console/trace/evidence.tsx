import type { Span, TraceScore } from "../../client/interface.ts";

/** List of a score's quotes; a click on one selects its span. */
export const QuoteList = ({
  evidence,
  spans,
  onSelectSpan,
}: {
  readonly evidence: NonNullable<TraceScore["evidence"]>;
  readonly spans: ReadonlyMap<string, Span>;
  readonly onSelectSpan: (span: string) => void;
}) => {
  if (evidence.length === 0) return null;
  return (
    <ul class="quotes" aria-label="Evidence">
      {evidence.map(({ quote, span_id: id }) => {
        const span = id === null ? undefined : spans.get(id);
        return (
          <li>
            {span === undefined ? (
              <q dir="auto">{quote}</q>
            ) : (
              <button type="button" class="quiet evidence" onClick={() => onSelectSpan(span.span_id)}>
                {quote !== null && <q dir="auto">{quote}</q>}{" "}
                <span class="faint" dir="auto">
                  in {span.name}
                </span>
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
};
