import type { TraceScore, SessionScore } from "../../client/interface.ts";
import { usePagedList } from "../use-paged-list.ts";
import { hrefTo } from "../route.ts";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { plural } from "../format.ts";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { Export } from "../parts/files/export.tsx";
import { PagedRows } from "../parts/paged-rows.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";

const rowHeight = 40;

/** Filters of a score list, by their names in the API. */
export interface ScoreQuery {
  readonly eval_run_id?: string;
  readonly name?: string;
  readonly metric_version?: number;
  readonly status?: "SUCCESS" | "FAILED" | "PENDING";
  readonly min_value?: number;
  readonly max_value?: number;
  readonly date_from?: string;
  readonly date_to?: string;
  readonly judge?: string;
}

const isOfTrace = (score: TraceScore | SessionScore): score is TraceScore => "trace_id" in score;

const valueOf = ({ status, applicable, value }: TraceScore | SessionScore): string => {
  if (status === "FAILED") return "–";
  return applicable === false ? "n/a" : (value ?? "…");
};

const Row = ({ score, index }: { readonly score: TraceScore | SessionScore; readonly index: number }) => {
  const href = isOfTrace(score) ? hrefTo("traces", score.trace_id) : hrefTo("sessions", score.session_id);
  const share = score.data_type === "NUMERIC" && score.status === "SUCCESS" ? Number(score.value) : null;
  return (
    <div class="row score-row" role="row" aria-rowindex={index + 1}>
      <span role="gridcell">
        <StatusLabel status={score.status} isShort />
      </span>
      <span role="gridcell" class="number">
        <b dir="auto">{valueOf(score)}</b>
        {share !== null && share >= 0 && share <= 1 && (
          <span class="scale" aria-hidden="true">
            <span style={{ width: `${share * 100}%` }} />
          </span>
        )}
      </span>
      <span role="gridcell" class="name">
        <a href={href} dir="auto">
          {score.name.replaceAll("_", " ")}
        </a>
      </span>
      <span role="gridcell" class="why-not" dir="auto" title={score.reason ?? ""}>
        {score.reason ?? ""}
      </span>
      <span role="gridcell" class="number wide">
        <LocalTime at={score.created_at} />
      </span>
    </div>
  );
};

/** Paged list of scores, lowest value first, with their reasons and links to their targets. */
export const ScoreList = ({
  filters,
  targetKind,
  version,
}: {
  readonly filters: ScoreQuery;
  readonly targetKind: "traces" | "sessions";
  /** A change of this value reloads the list. */
  readonly version?: unknown;
}) => {
  const list = usePagedList<TraceScore | SessionScore>(
    (paging, signal) => {
      const query = { ...filters, sort_by: "value", sort_order: "asc", ...paging } as const;
      return targetKind === "traces"
        ? client.value.listTraceScores({ query }, { signal })
        : client.value.listSessionScores({ query }, { signal });
    },
    JSON.stringify([targetKind, filters]),
    signOutIfUnauthorized,
    version,
  );
  return (
    <>
      <ErrorAlert {...list} />
      {list.total === null && list.error === null && <LoadingNote>Loading scores</LoadingNote>}
      {list.total !== null && (
        <div class="said">
          <span aria-live="polite">
            <b>{plural(list.total, "score")}</b> <span class="faint">lowest first</span>
          </span>
          {list.total > 0 && <Export name="scores" read={list.read} />}
        </div>
      )}
      <PagedRows
        list={list}
        height={rowHeight}
        label="Scores"
        row={(score, index) => <Row key={score.id} score={score} index={index} />}
      />
    </>
  );
};
