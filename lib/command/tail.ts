import { setTimeout as sleep } from "node:timers/promises";
import type { TraceListItem } from "../client/interface.ts";
import { queryFlags, queryFrom } from "./api.ts";
import { type CatalogueOperation } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { exitCodes } from "./failure.ts";
import { commonFlags, jsonSwitch, positiveNumber, textFlag } from "./flags.ts";
import { printItems, red } from "./terminal.ts";
import { plainLine } from "./text.ts";

/** Milliseconds between two reads of the list. */
const interval = 2_000;

/** Traces that started earlier than this before a read, in milliseconds, are not shown although they arrive late. */
const horizon = 600_000;

/** Most traces of one read. */
const maxTraces = 1_000;

const hasFailed = ({ status, has_failed_span }: TraceListItem): boolean => status === "ERROR" || has_failed_span;

const lineOf = (trace: TraceListItem): string => {
  const { started_at, status, name, trace_id, latency_ms, first_error } = trace;
  const time = started_at.slice(11, 19);
  const facts = [latency_ms === null ? "" : `${latency_ms} ms`, first_error ?? ""].filter((text) => text !== "");
  const line = plainLine([time, status.padEnd(9), trace_id, name, ...facts].join("  "));
  return hasFailed(trace) ? red(line) : line;
};

/** `assay tail`: shows traces as they arrive, or change their status, the failed ones of each read first. */
export const tailCommand = (listTraces: CatalogueOperation): Command => ({
  usage: "tail [flags]",
  summary: "shows traces as they come, the failed ones first",
  description:
    "Shows traces that arrive or change their status from now on, unless they started more than ten minutes ago: time (UTC), status, id, " +
    "name, duration and first error. Of each two seconds the failed ones come first. Ctrl-C ends it. In a pipe each trace is a line of JSON.",
  flags: {
    ...Object.fromEntries(
      Object.entries(queryFlags(listTraces)).filter(
        ([name]) => !/^(?:limit|offset|cursor|started-(?:after|before)|sort.*|order)$/u.test(name),
      ),
    ),
    json: jsonSwitch,
    seconds: textFlag("SECONDS", "Ends after this time instead of Ctrl-C."),
    ...commonFlags,
  },
  run: async ({ flags, terminal, connect }) => {
    const { client } = connect();
    const seconds = positiveNumber(flags, "seconds");
    const end = seconds === undefined ? Infinity : Date.now() + seconds * 1_000;
    const filters = queryFrom(listTraces, flags);
    /** Shown traces with their status, by id. */
    let shown = new Map<string, string>();
    let isFirst = true;
    for (;;) {
      const query = { ...filters, started_after: new Date(Date.now() - horizon).toISOString(), limit: 200 };
      const traces: TraceListItem[] = [];
      for await (const trace of client.each.listTraces({ query })) {
        if (traces.push(trace) < maxTraces) continue;
        terminal.note(`More than ${maxTraces} traces in ${horizon / 60_000} minutes: the oldest are not shown.`);
        break;
      }
      const fresh = isFirst ? [] : traces.filter(({ trace_id, status }) => shown.get(trace_id) !== status);
      const ordered = fresh.toReversed().toSorted((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)));
      if (terminal.isForPeople) for (const trace of ordered) terminal.print(lineOf(trace));
      else printItems(terminal, ordered);
      shown = new Map(traces.map(({ trace_id, status }) => [trace_id, status]));
      if (isFirst) terminal.progress("Waiting for traces, Ctrl-C ends …");
      isFirst = false;
      if (Date.now() + interval > end) return exitCodes.done;
      await sleep(interval);
    }
  },
});
