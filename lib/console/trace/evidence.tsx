import type { Span, TraceScore } from "../../client/interface.ts";

/** What a verdict cites: each leads to the span that has it. */
export const Evidence = ({
  of,
  spans,
  choose,
}: {
  readonly of: NonNullable<TraceScore["evidence"]>;
  readonly spans: ReadonlyMap<string, Span>;
  readonly choose: (span: string) => void;
}) => {
  if (of.length === 0) return null;
  return (
    <ul class="quotes" aria-label="Evidence">
      {of.map(({ quote, span_id: id }) => {
        const span = id === null ? undefined : spans.get(id);
        return (
          <li>
            {span === undefined ? (
              <q dir="auto">{quote}</q>
            ) : (
              <button type="button" class="quiet evidence" onClick={() => choose(span.span_id)}>
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
