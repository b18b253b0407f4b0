import type { EvalRun } from "../client/interface.ts";
import { hrefTo } from "./route.ts";
import { client } from "./sign-in.ts";

/** Something that an id belongs to. */
export interface FoundItem {
  readonly title: string;
  readonly href: string;
}

const isUuid = (text: string): boolean => /^(?:[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12})$/iu.test(text);

/** True for a text that is rather an id than a word: a UUID, or one word with a digit or a separator within it. */
export const isIdLike = (text: string): boolean => !/\s/u.test(text) && /\d|\w[-_/:@.]\w/u.test(text);

type LookUp = (id: string, signal: AbortSignal | undefined) => Promise<unknown>;

/** Kinds of items: their page, and a lookup of an id there, which rejects for an unknown one. */
const kinds: readonly (readonly [noun: string, page: string, lookUp: LookUp])[] = [
  [
    "session",
    "sessions",
    (session_id, signal) => client.value.getSession({ path: { session_id }, query: { limit: 1 } }, { signal }),
  ],
  [
    "user",
    "users",
    async (user_id, signal) => {
      const { total } = await client.value.listUsers({ query: { user_id, limit: 1 } }, { signal });
      if (total === 0) throw new Error(`No trace of the user ${user_id}.`);
    },
  ],
];

/** Rejects for a run of the other kind, which the service answers too. */
const checkType = ({ id, target_type: type }: EvalRun, expected: EvalRun["target_type"]): void => {
  if (type !== expected) throw new Error(`The run ${id} is of another kind.`);
};

/** Kinds of items whose ids are UUIDs of the service. */
const uuidKinds: typeof kinds = [
  [
    "run",
    "runs",
    async (run_id, signal) => checkType(await client.value.getTraceRun({ path: { run_id } }, { signal }), "TRACE"),
  ],
  [
    "session run",
    "session-runs",
    async (run_id, signal) => checkType(await client.value.getSessionRun({ path: { run_id } }, { signal }), "SESSION"),
  ],
  ["alert rule", "alerts", (alert_id, signal) => client.value.getAlert({ path: { alert_id } }, { signal })],
  ["dataset", "datasets", (dataset_id, signal) => client.value.getDataset({ path: { dataset_id } }, { signal })],
  ["label set", "label-sets", (set_id, signal) => client.value.getLabelSet({ path: { set_id } }, { signal })],
];

const findScore = async (score_id: string, signal?: AbortSignal): Promise<FoundItem> => {
  const score = await client.value.getScore({ path: { score_id } }, { signal });
  const href = "trace_id" in score ? hrefTo("traces", score.trace_id) : hrefTo("sessions", score.session_id);
  return { title: `Open what the score ${score_id} is of`, href };
};

const fulfilled = <Value>(results: readonly PromiseSettledResult<Value>[]): readonly Value[] =>
  results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));

/** Returns what an id belongs to: a trace, or else by a request for each other kind of item, all at once. What could not be asked is not found. */
export const findItems = async (id: string, signal?: AbortSignal): Promise<readonly FoundItem[]> => {
  const find = async ([noun, page, lookUp]: (typeof kinds)[number]): Promise<FoundItem> => {
    await lookUp(id, signal);
    return { title: `Open ${noun} ${id}`, href: hrefTo(page, id) };
  };
  if (!isUuid(id)) return fulfilled(await Promise.allSettled(kinds.map(find)));
  // Ids of version 8 are made by the service, and most of them belong to no trace.
  const isOfService = /^[^-]{8}-?[^-]{4}-?8/u.test(id);
  const ofTrace: LookUp = (trace_id) => client.value.listSpans({ path: { trace_id }, query: { limit: 1 } }, { signal });
  const trace = find(["trace", "traces", ofTrace]);
  const traces = isOfService ? [] : fulfilled(await Promise.allSettled([trace]));
  if (traces.length > 0) return traces;
  return fulfilled(
    await Promise.allSettled([trace, ...kinds.map(find), ...uuidKinds.map(find), findScore(id, signal)]),
  );
};
