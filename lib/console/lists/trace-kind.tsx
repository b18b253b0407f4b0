import type { Operations, TraceListItem } from "../../client/interface.ts";
import { count, plural } from "../format.ts";
import { findItems, isIdLike } from "../find-item.ts";
import { StatusLabel } from "../parts/labels.tsx";
import { hrefTo, route } from "../route.ts";
import { client } from "../sign-in.ts";
import { previewText } from "../traces/input-preview.ts";
import { lazyPart } from "../parts/lazy.tsx";
import { listPosition } from "../traces/list-position.ts";
import { filterNames } from "../traces/trace-filters.ts";
import {
  durationColumn,
  instantColumn,
  ItemLink,
  nameColumn,
  scoresColumn,
  stateColumn,
  textColumn,
  usageColumns,
} from "./cells.tsx";
import type { ListKind } from "./list-kind.ts";
import { namesOfScores } from "./list-query.ts";
import { traceBars } from "./trace-bars.ts";

const OutputText = lazyPart(async () => (await import("./output-text.tsx")).OutputText);

/** Texts around matches, each once and from shortly before the first word of the query on, which a narrow column then shows. */
const snippetsText = (matches: NonNullable<TraceListItem["matches"]>, query: string): string => {
  const [word = ""] = /[\p{L}\p{N}]+/u.exec(query.toLowerCase()) ?? [];
  const snippets = new Set(matches.map(({ snippet }) => snippet));
  const starts = [...snippets].map((text) => text.slice(Math.max(0, text.toLowerCase().indexOf(word) - 10)));
  return starts.join(" … ");
};

/** Returns the address of a trace, with a span selected if a search has found its words in spans only. */
const traceHref = ({ trace_id: id, matches = [] }: TraceListItem, query: Readonly<Record<string, string>>): string => {
  const isOfSpans = matches.every(({ span_id: span }) => span !== null);
  return hrefTo("traces", id, { ...query, span: (isOfSpans && matches[0]?.span_id) || null });
};

/** List of traces. */
export const traceKind: ListKind<TraceListItem> = {
  noun: "trace",
  columns: {
    status: {
      title: "Status",
      ...stateColumn,
      sortBy: "status",
      cell: ({ status }) => <StatusLabel status={status} isShort />,
    },
    trace: {
      title: "Trace",
      ...nameColumn,
      sortBy: "name",
      tooltip: ({ span_count: spans }) => plural(spans, "span"),
      cell: (trace) => (
        <>
          <ItemLink href={traceHref(trace, route.value.query)}>{trace.name}</ItemLink>
          <span class="words-of" dir="auto">
            {trace.matches === undefined
              ? previewText(trace.input_preview)
              : snippetsText(trace.matches, route.value.query["q"] ?? "")}
          </span>
          <span class="tags">
            {trace.tags.map((tag) => (
              <span class="tag" dir="auto">
                {tag}
              </span>
            ))}
          </span>
        </>
      ),
    },
    scores: scoresColumn,
    error: {
      ...textColumn<TraceListItem>("Error", ({ first_error: error }) => error ?? null),
      width: "minmax(0, 1fr)",
      widthOf: (items) => (items.some(({ first_error: error }) => error != null) ? "minmax(64px, 1fr)" : "36px"),
      tooltip: ({ first_error: error }) => error ?? "",
    },
    duration: durationColumn(({ latency_ms: latency }) => latency),
    ...usageColumns,
    user: textColumn("User", ({ user_id: user }) => user),
    input: {
      ...textColumn<TraceListItem>("Input", ({ input_preview: preview }) => previewText(preview)),
      width: "minmax(16ch, 3fr)",
      class: "user input",
      isExtra: true,
    },
    output: {
      title: "Output",
      width: "minmax(16ch, 3fr)",
      class: "user output",
      isExtra: true,
      cell: ({ trace_id: id }) => <OutputText key={id} id={id} />,
    },
    session: { ...textColumn<TraceListItem>("Session", ({ session_id: session }) => session), isExtra: true },
    release: { ...textColumn<TraceListItem>("Release", ({ release }) => release), isExtra: true },
    environment: { ...textColumn<TraceListItem>("Environment", ({ environment }) => environment), isExtra: true },
    spans: {
      title: "Spans",
      width: "54px",
      class: "number",
      isExtra: true,
      cell: ({ span_count: spans }) => count(spans),
    },
    when: instantColumn("When", "started_at", ({ started_at: at }) => at),
  },
  filters: filterNames,
  search: {
    parameter: "q",
    label: 'Search for words, "phrases" or an id',
    onEnter: async (text) => (isIdLike(text) ? ((await findItems(text))[0]?.href ?? null) : null),
  },
  failed: { parameter: "status", value: "ERROR", meaning: "Traces with the status ERROR" },
  defaultOrder: ["started_at", "Newest first"],
  orders: {
    cost: "most expensive first",
    latency: "slowest first",
    tokens: "most tokens first",
    errors: "most failed spans first",
  },
  scoreNames: (signal) => client.value.getTraceScoreSummary({ query: {} }, { signal }).then(namesOfScores),
  list: (query, signal) =>
    client.value.listTraces(
      {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `columns` and `orders` have sort columns of this route.
        query: { ...(query as Operations["listTraces"]["query"]), include: ["scores", "preview"] },
      },
      { signal },
    ),
  barFilters: new Set(["metadata", ...filterNames.filter((name) => name !== "q")]),
  bars: traceBars,
  barNoun: "trace",
  durationTitle: "p90 duration",
  idOf: ({ trace_id: id }) => id,
  nameOf: ({ name }) => name,
  hrefOf: traceHref,
  // The trace page steps through the list.
  onOpen: (position) => (listPosition.value = position),
  lastIndex: (key) => {
    const position = listPosition.peek();
    return position?.key === key ? position.index : null;
  },
  targets: "traces",
};
