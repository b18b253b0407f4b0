import * as v from "valibot";
import type { Trace } from "../../client/interface.ts";
import { cursor, filterEntries, spanId, traceId } from "../inputs.ts";
import { ToolError } from "../tool-error.ts";
import { fittingBlocks, pageOfText } from "../text-pages.ts";
import { type Service, tool } from "../tool.ts";
import { spanLines, spanTree, traceHead, traceLine } from "./trace-lines.ts";

/** Returns the address of a trace in the console. */
export const traceLink = ({ url }: Service, { trace_id: id, project_id: project }: Trace): string =>
  `${url}/console#/traces/${encodeURIComponent(id)}?project=${project}`;

export const findTraces = tool(
  {
    name: "find_traces",
    description:
      "Lists traces, newest first, with status, first error, latency, cost, scores and the beginning of the input. All filters must match. " +
      "Start here to find what failed: failed=true.",
    permission: "read",
    input: v.strictObject({
      ...filterEntries,
      sort_by: v.optional(v.picklist(["started_at", "latency", "cost", "tokens", "errors"])),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 20),
      cursor,
    }),
  },
  async ({ failed, ...filters }, { client, url }) => {
    const query = { ...filters, has_failed_span: failed, include: ["scores", "preview"] as const };
    const { items, total, next_cursor } = await client.listTraces({ query });
    return {
      note: `${total} traces match; ${items.length} of them are here.`,
      data: items.map(traceLine).join("\n"),
      cursor: next_cursor,
      link: `${url}/console#/traces`,
    };
  },
);

/** Most bytes of a text in the view `preview`, and of each text in the view `full`. */
const [previewLength, fullLength] = [400, 6_000];

/** Spans that the view `full` reads at a time; a page has as many of them as it has room for. */
const spansAtOnce = 20;

/** Cursor of the view `full`: the number of spans before the page. */
const spanOffset = (cursor: string | undefined): number => {
  if (cursor !== undefined && !/^\d{1,7}$/u.test(cursor)) throw new ToolError("The cursor belongs to another view.");
  return Number(cursor ?? 0);
};

export const showTrace = tool(
  {
    name: "show_trace",
    description:
      "Shows a trace: its spans as a tree with status, errors and latency (skeleton), with the beginning of each input and output " +
      "(preview), or with inputs and outputs of up to 6,000 bytes (full, some spans at a time). show_span has a span whole.",
    permission: "read",
    input: v.strictObject({
      trace_id: traceId,
      view: v.optional(v.picklist(["skeleton", "preview", "full"]), "preview"),
      cursor,
    }),
  },
  async ({ trace_id, view, cursor: start }, service) => {
    const path = { trace_id };
    const trace = await service.client.getTrace({ path, query: { fields: view === "preview" ? "auto" : "skeleton" } });
    const link = traceLink(service, trace);
    if (view === "full") {
      const offset = spanOffset(start);
      const { items, total } = await service.client.listSpans({ path, query: { limit: spansAtOnce, offset } });
      const head = offset === 0 ? [traceHead(trace, fullLength)] : [];
      const blocks = fittingBlocks([...head, ...items.map((span) => spanLines(span, 0, fullLength))]);
      const next = offset + blocks.length - head.length;
      return { data: blocks.flat().join("\n"), cursor: next < total ? String(next) : null, link };
    }
    const length = view === "preview" ? previewLength : null;
    const lines = [
      ...traceHead(trace, length === null ? null : 2 * length),
      ...spanTree(trace.spans).flatMap(([span, depth]) => spanLines(span, depth, length)),
    ];
    const page = pageOfText(lines.join("\n"), start);
    return { data: page.text, cursor: page.cursor, link };
  },
);

export const showSpan = tool(
  {
    name: "show_span",
    description: "Shows one span of a trace whole: input, output, error, model parameters, tokens, cost, metadata.",
    permission: "read",
    input: v.strictObject({ trace_id: traceId, span_id: spanId, cursor }),
  },
  async ({ trace_id, span_id, cursor: start }, { client, url }) => {
    const span = await client.getSpan({ path: { trace_id, span_id } });
    const page = pageOfText(JSON.stringify(span, null, 1), start);
    const link = `${url}/console#/traces/${encodeURIComponent(trace_id)}?span=${encodeURIComponent(span_id)}`;
    return { data: page.text, cursor: page.cursor, link };
  },
);
