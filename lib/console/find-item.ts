import { hrefTo } from "./route.ts";
import { client } from "./sign-in.ts";

/** Something that an id belongs to. */
export interface FoundItem {
  readonly title: string;
  readonly href: string;
}

const isUuid = (text: string): boolean => /^(?:[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12})$/iu.test(text);

/** True for a text that is rather an id than a word: a UUID, or one word with a digit or a separator within it. */
export const isIdLike = (text: string): boolean => isUuid(text) || /^\S*(?:\d|\w[-_/:@.]\w)\S*$/u.test(text);

/** Lookups of a given id, and those of an id of the service, which is a UUID: each returns the page of the item, or rejects. */
const given: Readonly<Record<string, (id: string, signal?: AbortSignal) => Promise<string>>> = {
  session: async (id, signal) => {
    await client.value.getSession({ path: { session_id: id }, query: { limit: 1 } }, { signal });
    return hrefTo("sessions", id);
  },
  user: async (id, signal) => {
    const { items } = await client.value.listUsers({ query: { user_id: id, limit: 1 } }, { signal });
    if (items.length === 0) throw new Error(`No trace of the user ${id}.`);
    return hrefTo("users", id);
  },
};
const ofService: typeof given = {
  trace: async (trace_id, signal) => {
    await client.value.listSpans({ path: { trace_id }, query: { limit: 1 } }, { signal });
    return hrefTo("traces", trace_id);
  },
  run: async (run_id, signal) => {
    await client.value.getTraceRun({ path: { run_id } }, { signal });
    return hrefTo("runs", run_id);
  },
  "session run": async (run_id, signal) => {
    await client.value.getSessionRun({ path: { run_id } }, { signal });
    return hrefTo("session-runs", run_id);
  },
  score: async (score_id, signal) => {
    const score = await client.value.getScore({ path: { score_id } }, { signal });
    return "trace_id" in score ? hrefTo("traces", score.trace_id) : hrefTo("sessions", score.session_id);
  },
  monitor: async (monitor_id, signal) => {
    await client.value.getMonitor({ path: { monitor_id } }, { signal });
    return hrefTo("monitors");
  },
  alert: async (alert_id, signal) => {
    await client.value.getAlert({ path: { alert_id } }, { signal });
    return hrefTo("alerts", alert_id);
  },
  dataset: async (dataset_id, signal) => {
    await client.value.getDataset({ path: { dataset_id } }, { signal });
    return hrefTo("datasets", dataset_id);
  },
};

/** Returns what an id belongs to, a trace first: one request for each kind of item. What could not be asked is not found. */
export const findItems = async (id: string, signal?: AbortSignal): Promise<readonly FoundItem[]> => {
  const lookups = Object.entries({ ...(isUuid(id) && ofService), ...given });
  const answers = await Promise.allSettled(lookups.map(([, lookUp]) => lookUp(id, signal)));
  return answers.flatMap((answer, at) =>
    answer.status === "fulfilled" ? [{ title: `Open ${lookups[at]?.[0]} ${id}`, href: answer.value }] : [],
  );
};
