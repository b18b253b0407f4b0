import type { MonitorResponse } from "../../client/interface.ts";

/** What a run of a monitor judges: metrics, kind of targets, filters, sample and scope. */
export const MonitorFacts = ({ monitor }: { readonly monitor: MonitorResponse }) => (
  <>
    <span>{monitor.metric_names.join(", ").replaceAll("_", " ")}</span>
    <span>of {monitor.target_type === "TRACE" ? "traces" : "sessions"}</span>
    {Object.entries(monitor.filters).map(([name, value]) => (
      <span class="tag" dir="auto">
        {name.replaceAll("_", " ")} {typeof value === "string" ? value : JSON.stringify(value)}
      </span>
    ))}
    {monitor.sampling_rate < 1 && <span>{monitor.sampling_rate * 100} % at random</span>}
    {monitor.scope === "changed" && <span>only new or changed targets</span>}
  </>
);
