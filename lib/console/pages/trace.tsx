import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useKeys } from "../keys.ts";
import { useLoad } from "../load.ts";
import { goTo, hrefTo, place, refine } from "../place.ts";
import { serviceUrl } from "../arrival.ts";
import { client } from "../sign-in.ts";
import { Copy } from "../parts/copy.tsx";
import { Evaluate } from "../parts/evaluate.tsx";
import { Instant } from "../parts/instant.tsx";
import { SpanDetail } from "../parts/span-detail.tsx";
import { Status } from "../parts/status.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { Transcript } from "../parts/transcript.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { Verdicts } from "../parts/verdicts.tsx";
import { transcriptOf } from "../trace/transcript.ts";
import { treeOf } from "../trace/tree.ts";
import { count, dollars, duration, plural } from "../words.ts";

/** While a run may still be judging it, its scores are asked for again. */
const pace = 10_000;

const endOf = ({
  started_at: from,
  ended_at: to,
}: {
  readonly started_at: string;
  readonly ended_at: string | null;
}): number | null => (to === null ? null : Date.parse(to) - Date.parse(from));

/** What did the agent do, and is the verdict fair? */
export const TracePage = ({ id }: { readonly id: string }) => {
  const {
    value: trace,
    error,
    again,
  } = useLoad((signal) => client.value.getTrace({ path: { trace_id: id } }, { signal }), [id]);
  const scores = useLoad((signal) => client.value.getTraceScores({ path: { score_id: id } }, { signal }), [id], pace);
  const isOpen = useSignal(false);
  const { query } = place.value;
  const view = query["view"] === "timeline" ? "timeline" : "transcript";
  const nodes = useMemo(() => treeOf(trace?.spans ?? []), [trace]);
  const turns = useMemo(() => (trace === null ? [] : transcriptOf(trace)), [trace]);
  const span = trace?.spans.find(({ span_id: each }) => each === query["span"]) ?? null;
  const choose = (chosen: string | null): void => refine({ span: chosen });
  const { span: _span, view: _view, ...filters } = query;
  const back = hrefTo("traces", null, filters);
  useKeys({
    t: () => refine({ view: view === "timeline" ? null : "timeline" }),
    e: () => (isOpen.value = true),
    Escape: () => (span === null ? goTo(back) : choose(null)),
  });
  if (trace === null)
    return (
      <main aria-busy={error === null}>
        <p>
          <a href={back}>← Traces</a>
        </p>
        {error === null ? <p class="faint">Loading the trace …</p> : <Trouble error={error} again={again} />}
      </main>
    );
  const curl = `curl ${serviceUrl}/traces/${trace.trace_id} -H "X-API-Key: $ASSAY_KEY" -H "X-Project-Name: $ASSAY_PROJECT"`;
  const failed = trace.spans.filter(({ status }) => status === "ERROR").length;
  return (
    <main class="trace">
      <header class="head">
        <p>
          <a href={back}>← Traces</a>
        </p>
        <h1 dir="auto">
          <Status of={trace.status} isShort /> {trace.name}
        </h1>
        <p class="facts">
          <Instant at={trace.started_at} />
          <span>{duration(endOf(trace))}</span>
          <span>{plural(trace.spans.length, "span")}</span>
          {failed > 0 && <span class="bad">{count(failed)} failed</span>}
          {trace.total_tokens > 0 && <span>{plural(trace.total_tokens, "token")}</span>}
          {trace.total_cost > 0 && <span>{dollars(trace.total_cost)}</span>}
          {trace.user_id !== null && (
            <a href={hrefTo("traces", null, { user_id: trace.user_id })} dir="auto">
              {trace.user_id}
            </a>
          )}
          {trace.session_id !== null && (
            <a href={hrefTo("sessions", trace.session_id)} dir="auto">
              session {trace.session_id}
            </a>
          )}
          {trace.release !== null && <span dir="auto">release {trace.release}</span>}
          {trace.environment !== null && <span dir="auto">{trace.environment}</span>}
          {trace.tags.map((tag) => (
            <span class="tag" dir="auto">
              {tag}
            </span>
          ))}
        </p>
        <p class="buttons">
          <code class="faint">{trace.trace_id}</code>
          <Copy text={trace.trace_id}>Copy id</Copy>
          <Copy text={location.href}>Copy link</Copy>
          <Copy text={curl}>Copy as curl</Copy>
          <button type="button" class="main" onClick={() => (isOpen.value = true)}>
            Evaluate …
          </button>
        </p>
      </header>
      <div class="columns">
        <section class="what" aria-label="What the agent did">
          <div class="switch" role="tablist" aria-label="View">
            <button
              type="button"
              role="tab"
              aria-selected={view === "transcript"}
              onClick={() => refine({ view: null })}
            >
              Transcript
            </button>
            <button
              type="button"
              role="tab"
              aria-selected={view === "timeline"}
              onClick={() => refine({ view: "timeline" })}
            >
              Timeline
            </button>
            <span class="faint keys"> t switches</span>
          </div>
          {view === "timeline" ? (
            <Timeline nodes={nodes} chosen={query["span"] ?? null} choose={choose} />
          ) : (
            <Transcript turns={turns} chosen={query["span"] ?? null} choose={choose} />
          )}
        </section>
        <section class="why" aria-label={span === null ? "Verdicts" : "Span"}>
          {span !== null && <SpanDetail span={span} close={() => choose(null)} />}
          <Verdicts scores={scores} spans={trace.spans} choose={choose} />
        </section>
      </div>
      {isOpen.value && <Evaluate ids={[trace.trace_id]} close={() => (isOpen.value = false)} />}
    </main>
  );
};
