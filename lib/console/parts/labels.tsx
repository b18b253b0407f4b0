import type { SessionScore, TraceScore } from "../../client/interface.ts";
import { utcTime, shortTime } from "../format.ts";
import { hrefTo } from "../route.ts";

/** An instant in the local time zone, with UTC as tooltip. */
export const LocalTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={utcTime(at)}>
    {shortTime(at)}
  </time>
);

/** Sign and color class by status. */
const appearances: Readonly<Record<string, readonly [sign: string, tone: string]>> = {
  COMPLETED: ["✓", "good"],
  OK: ["✓", "good"],
  SUCCESS: ["✓", "good"],
  RUN: ["✓", "good"],
  ALERT: ["▲", "bad"],
  NO_DATA: ["○", "plain"],
  PAUSED: ["‖", "plain"],
  ERROR: ["✕", "bad"],
  FAILED: ["✕", "bad"],
  RUNNING: ["●", "busy"],
  PENDING: ["○", "busy"],
  OPEN: ["○", "busy"],
  CLOSING: ["●", "busy"],
  CLOSED: ["✓", "good"],
};

/** A status as sign, color and text; `isShort` hides the text visually but not from screen readers. */
export const StatusLabel = ({ status, isShort = false }: { readonly status: string; readonly isShort?: boolean }) => {
  const [sign, tone] = appearances[status] ?? ["·", "plain"];
  const word = status.toLowerCase().replaceAll("_", " ");
  return (
    <span class={`status ${tone}`} title={word}>
      <span aria-hidden="true">{sign}</span>
      <span class={isShort ? "unseen" : ""}> {word}</span>
    </span>
  );
};

/** Link to the version of the custom metric that computed a score; nothing for other scores. */
export const MetricVersionLink = ({ score: { name, metadata } }: { readonly score: TraceScore | SessionScore }) => {
  const { metric_version: version } = metadata;
  if (typeof version !== "number") return null;
  return <a href={hrefTo("own-metrics", name, { version: String(version) })}>metric version {version}</a>;
};
