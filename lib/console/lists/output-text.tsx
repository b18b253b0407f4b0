import { truncateWithEllipsis } from "../format.ts";
import { client } from "../sign-in.ts";
import { previewText } from "../traces/input-preview.ts";
import { useLoad } from "../use-load.ts";

/** Milliseconds that a row stays in view before its output is requested. */
const pause = 120;

/** Requests at the same time. */
const parallel = 4;

/** Max characters of an output that are shown. */
const maxCharacters = 120;

/** The latest request of each lane; the next one of a lane waits for it. */
const lanes: Promise<unknown>[] = Array.from({ length: parallel }, () => Promise.resolve());
let requests = 0;

/** Runs a request once fewer than four others are pending, unless its row has gone. */
const inLane = <Value,>(request: () => Promise<Value>, signal: AbortSignal): Promise<Value | null> => {
  const lane = (requests += 1) % parallel;
  const reply = (lanes[lane] ?? Promise.resolve()).then(() => (signal.aborted ? null : request()));
  lanes[lane] = reply.catch(() => null);
  return reply;
};

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * First characters of a trace's output on one line. The row of a trace has none: spans that arrive later change the output, and are stored
 * without reading it.
 */
export const OutputText = ({ id }: { readonly id: string }) => {
  const { value: text, error } = useLoad(
    async (signal) => {
      await wait(pause);
      const query = { fields: "skeleton" } as const;
      const trace = await inLane(() => client.value.getTrace({ path: { trace_id: id }, query }, { signal }), signal);
      const output = trace?.output ?? "";
      const line = (typeof output === "string" ? output : JSON.stringify(output))
        .slice(0, 1_000)
        .replaceAll(/\s+/gu, " ");
      return truncateWithEllipsis(previewText(line), maxCharacters);
    },
    [id],
  );
  return <span dir="auto">{text ?? <span class="faint">{error === null ? "…" : "not loaded"}</span>}</span>;
};
