import { Copy, Link, Terminal } from "lucide";
import type { ComponentChildren } from "preact";
import type { Trace } from "../../client/interface.ts";
import { hrefTo, shareableUrl } from "../route.ts";
import { AddToDataset } from "../datasets/add-to-dataset.tsx";
import { count, dollars, duration } from "../format.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { curlCommand } from "../parts/curl.tsx";
import { Fact } from "../display/fact.tsx";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { hasFailed } from "./span-tree.ts";

const traceDuration = ({ started_at: from, ended_at: to }: Trace): number | null =>
  to === null ? null : Date.parse(to) - Date.parse(from);

/** Max tags shown in the header. */
const maxTags = 8;

const Facts = ({ trace }: { readonly trace: Trace }) => {
  const failedSpans = trace.spans.filter(hasFailed).length;
  const { unpriced_tokens: unpriced, user_id: user, session_id: session, release, environment, tags, masked } = trace;
  return (
    <dl class="facts">
      <Fact title="Started">
        <LocalTime at={trace.started_at} />
      </Fact>
      <Fact title="Duration">
        {duration(traceDuration(trace))}
        {trace.ended_by === "silence" && <span title="No top span has arrived"> ended by silence</span>}
      </Fact>
      <Fact title="Spans">
        {count(trace.spans.length)}
        {failedSpans > 0 && <span class="bad"> ✕ {failedSpans} failed</span>}
      </Fact>
      <Fact title="Tokens">{trace.total_tokens > 0 ? count(trace.total_tokens) : "–"}</Fact>
      <Fact title="Cost">
        {trace.total_cost > 0 || unpriced === 0 ? dollars(trace.total_cost) : "?"}
        {unpriced > 0 && <span class="faint"> {count(unpriced)} unpriced tokens</span>}
      </Fact>
      {masked !== undefined && (
        <Fact title="Masked texts">
          <span
            title={Object.entries(masked)
              .map(([rule, texts]) => `${rule}: ${texts}`)
              .join("\n")}
          >
            {count(Object.values(masked).reduce((sum, texts) => sum + texts, 0))}
          </span>
        </Fact>
      )}
      {user !== null && (
        <Fact title="User">
          <a href={hrefTo("users", user)}>{user}</a>
        </Fact>
      )}
      {session !== null && (
        <Fact title="Session">
          <a href={hrefTo("sessions", session)}>{session}</a>
        </Fact>
      )}
      {release !== null && (
        <Fact title="Release">
          <a href={hrefTo("traces", null, { release })}>{release}</a>
        </Fact>
      )}
      {environment !== null && (
        <Fact title="Environment">
          <a href={hrefTo("traces", null, { environment })}>{environment}</a>
        </Fact>
      )}
      {tags.length > 0 && (
        <Fact title="Tags">
          {tags.slice(0, maxTags).map((tag) => (
            <span class="tag" dir="auto" title={tag}>
              {tag}
            </span>
          ))}
          {tags.length > maxTags && <span class="tag">+{tags.length - maxTags} tags</span>}
        </Fact>
      )}
    </dl>
  );
};

/** Header of the trace page: steps to other traces, which stay while a trace loads, its name, buttons, times, tokens, cost, user, session and tags. */
export const TraceHeader = ({
  trace,
  steps,
  onEvaluate,
}: {
  /** Null while it loads. */
  readonly trace: Trace | null;
  /** Links back to the list and to its other traces. */
  readonly steps: ComponentChildren;
  readonly onEvaluate: () => void;
}) => (
  <header class="head">
    <div class="title">
      {steps}
      {trace === null && <h1 class="faint">Trace</h1>}
      {trace !== null && (
        <>
          <h1 dir="auto">
            <StatusLabel status={trace.status} isShort /> {trace.name}
          </h1>
          <div class="buttons">
            <CopyButton text={trace.trace_id} icon={Copy}>
              Copy id
            </CopyButton>
            <CopyButton text={() => shareableUrl(trace.project_id)} icon={Link}>
              Copy link
            </CopyButton>
            <CopyButton text={curlCommand(`/traces/${trace.trace_id}`)} icon={Terminal}>
              Copy as curl
            </CopyButton>
            <AddToDataset sources={[{ trace_id: trace.trace_id }]} />
            <button type="button" class="main writes" onClick={onEvaluate}>
              Evaluate …
            </button>
          </div>
        </>
      )}
    </div>
    {trace !== null && <Facts trace={trace} />}
  </header>
);
