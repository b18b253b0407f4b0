import type { Trace } from "../../client/interface.ts";
import { hrefTo, shareableUrl } from "../route.ts";
import { AddToDataset } from "../datasets/add-to-dataset.tsx";
import { count, dollars, duration, plural } from "../format.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { curlCommand } from "../parts/curl.tsx";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { hasFailed } from "./span-tree.ts";

const traceDuration = ({ started_at: from, ended_at: to }: Trace): number | null =>
  to === null ? null : Date.parse(to) - Date.parse(from);

/** Max tags shown in the header. */
const maxTags = 8;

/** Header of the trace page: name, buttons, times, tokens, cost, user, session and tags. */
export const TraceHeader = ({ trace, onEvaluate }: { readonly trace: Trace; readonly onEvaluate: () => void }) => {
  const failedSpans = trace.spans.filter(hasFailed).length;
  return (
    <header class="head">
      <div class="title">
        <h1 dir="auto">
          <StatusLabel status={trace.status} isShort /> {trace.name}
        </h1>
        <div class="buttons">
          <CopyButton text={trace.trace_id}>Copy id</CopyButton>
          <CopyButton text={() => shareableUrl(trace.project_id)}>Copy link</CopyButton>
          <CopyButton text={curlCommand(`/traces/${trace.trace_id}`)}>Copy as curl</CopyButton>
          <AddToDataset sources={[{ trace_id: trace.trace_id }]} />
          <button type="button" class="main writes" onClick={onEvaluate}>
            Evaluate …
          </button>
        </div>
      </div>
      <p class="facts">
        <LocalTime at={trace.started_at} />
        <span>{duration(traceDuration(trace))}</span>
        {trace.ended_by === "silence" && <span title="No top span has arrived">ended by silence</span>}
        <span>{plural(trace.spans.length, "span")}</span>
        {failedSpans > 0 && <span class="bad">✕ {plural(failedSpans, "failed span")}</span>}
        {trace.total_tokens > 0 && <span>{plural(trace.total_tokens, "token")}</span>}
        {trace.total_cost > 0 && <span>{dollars(trace.total_cost)}</span>}
        {trace.masked !== undefined && (
          <span
            title={Object.entries(trace.masked)
              .map(([rule, texts]) => `${rule}: ${texts}`)
              .join("\n")}
          >
            {plural(
              Object.values(trace.masked).reduce((sum, texts) => sum + texts, 0),
              "masked text",
            )}
          </span>
        )}
        {trace.unpriced_tokens > 0 && <span>{count(trace.unpriced_tokens)} unpriced tokens</span>}
        {trace.user_id !== null && (
          <a href={hrefTo("users", trace.user_id)} dir="auto">
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
        {trace.tags.slice(0, maxTags).map((tag) => (
          <span class="tag" dir="auto" title={tag}>
            {tag}
          </span>
        ))}
        {trace.tags.length > maxTags && <span class="tag">+{trace.tags.length - maxTags} tags</span>}
      </p>
    </header>
  );
};
