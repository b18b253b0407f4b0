import type { Trace } from "../../client/interface.ts";
import { hrefTo } from "../place.ts";
import { serviceUrl } from "../arrival.ts";
import { reader } from "../sign-in.ts";
import { count, dollars, duration, plural } from "../words.ts";
import { Copy } from "../parts/copy.tsx";
import { Instant } from "../parts/instant.tsx";
import { Status } from "../parts/status.tsx";

const lasted = ({ started_at: from, ended_at: to }: Trace): number | null =>
  to === null ? null : Date.parse(to) - Date.parse(from);

/** A call that reads the trace, with names in place of what is secret. */
const curlOf = ({ trace_id: id }: Trace): string => {
  const who = reader.value;
  const url = `${serviceUrl}/traces/${id}`;
  return who?.kind === "key"
    ? `curl '${url}' -H "X-API-Key: $ASSAY_KEY" -H 'X-Project-Name: ${who.projectName.replaceAll("'", "'\\''")}'`
    : `curl '${url}' -H "Authorization: Bearer $ASSAY_TOKEN" -H 'X-Project-ID: ${who?.projectId ?? ""}'`;
};

/** Tags that are shown of many. */
const most = 8;

/** What a trace is: its name, its figures, whose it is, and what can be done with it. */
export const TraceHead = ({ trace, evaluate }: { readonly trace: Trace; readonly evaluate: () => void }) => {
  const failed = trace.spans.filter(({ status }) => status === "ERROR").length;
  return (
    <header class="head">
      <div class="title">
        <h1 dir="auto">
          <Status of={trace.status} isShort /> {trace.name}
        </h1>
        <p class="buttons">
          <Copy text={trace.trace_id}>Copy id</Copy>
          <Copy text={location.href}>Copy link</Copy>
          <Copy text={curlOf(trace)}>Copy as curl</Copy>
          <button type="button" class="main writes" onClick={evaluate}>
            Evaluate …
          </button>
        </p>
      </div>
      <p class="facts">
        <Instant at={trace.started_at} />
        <span>{duration(lasted(trace))}</span>
        <span>{plural(trace.spans.length, "span")}</span>
        {failed > 0 && <span class="bad">✕ {count(failed)} failed</span>}
        {trace.total_tokens > 0 && <span>{plural(trace.total_tokens, "token")}</span>}
        {trace.total_cost > 0 && <span>{dollars(trace.total_cost)}</span>}
        {trace.unpriced_tokens > 0 && <span>{count(trace.unpriced_tokens)} tokens without a price</span>}
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
        {trace.release !== null && (
          <a href={hrefTo("traces", null, { release: trace.release })} dir="auto">
            release {trace.release}
          </a>
        )}
        {trace.environment !== null && <span dir="auto">{trace.environment}</span>}
        {trace.tags.slice(0, most).map((tag) => (
          <span class="tag" dir="auto" title={tag}>
            {tag}
          </span>
        ))}
        {trace.tags.length > most && <span class="tag">+{trace.tags.length - most} tags</span>}
      </p>
    </header>
  );
};
