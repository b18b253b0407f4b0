import { safeParse } from "valibot";
import { issueOf } from "../contract/schema/issue.ts";
import { langsmithRun, type LangsmithRun } from "../contract/langsmith/runs.ts";
import { placeOf, type RunPlace } from "./run-place.ts";

/** A run of a request: new, or a change of a run that an earlier request has created. */
export interface SentRun {
  readonly run: LangsmithRun;
  readonly isNew: boolean;
  readonly place: RunPlace;
}

/** Reason why an item of a request is not stored. */
export interface ItemFlaw {
  readonly loc: readonly (string | number)[];
  readonly message: string;
  /** True if the item refers to a run that does not exist. */
  readonly isMissing?: true;
}

const withoutNulls = (run: LangsmithRun): Partial<LangsmithRun> =>
  Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null && value !== undefined));

/** Parses the runs of a request. A new run and its changes become one run. */
export const sentRuns = ({
  post,
  patch,
}: {
  readonly post: readonly unknown[];
  readonly patch: readonly unknown[];
}) => {
  const runs = new Map<string, Omit<SentRun, "place">>();
  const flaws: ItemFlaw[] = [];
  for (const [kind, items] of [
    ["post", post],
    ["patch", patch],
  ] as const) {
    for (const [at, item] of items.entries()) {
      const parsed = safeParse(langsmithRun, item);
      if (!parsed.success) {
        const { field, message } = issueOf(parsed.issues[0]);
        flaws.push({ loc: [kind, at, field], message });
        continue;
      }
      const run = parsed.output;
      const before = runs.get(run.id);
      runs.set(run.id, {
        run: before === undefined ? run : { ...before.run, ...withoutNulls(run) },
        isNew: (before?.isNew ?? false) || kind === "post",
      });
    }
  }
  return { runs: Array.from(runs.values(), (each): SentRun => ({ ...each, place: placeOf(each.run) })), flaws };
};
