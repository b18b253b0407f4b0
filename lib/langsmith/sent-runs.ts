import * as v from "valibot";
import { issueOf } from "../contract/schema/issue.ts";
import { langsmithRun, type LangsmithRun } from "../contract/langsmith/runs.ts";
import { jsonObject } from "../contract/schema/fields.ts";
import { presentEntries, withoutKeys, type Json, type JsonObject } from "../domain/json.ts";
import type { ViolationType } from "../domain/violation-types.ts";
import { hasFields, type UnparsedItem } from "../domain/scores/imported-score.ts";
import { hasUnreadOrder, placeOf, type RunPlace } from "./run-place.ts";

/** A run of a request: new, or a change of a run that an earlier request has created. */
export interface SentRun {
  readonly run: LangsmithRun;
  /** Fields of the run that its schema does not have. */
  readonly otherFields: JsonObject;
  readonly isNew: boolean;
  readonly place: RunPlace;
}

/** Reason why an item of a request is not stored. */
export interface ItemFlaw {
  readonly loc: readonly (string | number)[];
  readonly message: string;
  /** Published type of the violation; `value_error` where none is more specific. */
  readonly type?: ViolationType | undefined;
  /** True if the item refers to a run that does not exist. */
  readonly isMissing?: true;
}

/** Returns the path of a run in its request: its list, and its id, since a new run and its changes are one run. */
export const runLoc = ({ run, isNew }: { readonly run: Pick<LangsmithRun, "id">; readonly isNew: boolean }) =>
  [isNew ? "post" : "patch", run.id] as const;

/** Schema of an item: a run, and beside it the fields that the schema of a run does not have. */
const sentItem = v.pipe(
  v.custom<UnparsedItem>(hasFields, "A run is a JSON object."),
  v.transform((item) => ({
    run: item,
    otherFields: withoutKeys(item, langsmithRun.entries),
  })),
  v.object({ run: langsmithRun, otherFields: jsonObject }),
);

/** A run of which more items of the request may follow; its other fields are collected, since there may be many for each item. */
interface OpenRun extends Pick<SentRun, "run" | "isNew"> {
  readonly otherFields: Map<string, Json>;
}

/** Parses the runs of a request. A new run and its changes become one run. */
export const sentRuns = ({
  post,
  patch,
}: {
  readonly post: readonly unknown[];
  readonly patch: readonly unknown[];
}) => {
  const runs = new Map<string, OpenRun>();
  const flaws: ItemFlaw[] = [];
  for (const [kind, items] of [
    ["post", post],
    ["patch", patch],
  ] as const) {
    for (const [at, item] of items.entries()) {
      const parsed = v.safeParse(sentItem, item);
      if (!parsed.success) {
        const [issue] = parsed.issues;
        const loc = [kind, at, ...(issue.path ?? []).slice(1).map(({ key }) => String(key))];
        const { message, type } = issueOf(issue);
        flaws.push({ loc, message, type });
        continue;
      }
      const { run, otherFields } = parsed.output;
      const before = runs.get(run.id);
      const collected = before?.otherFields ?? new Map<string, Json>();
      for (const [name, value] of Object.entries(otherFields)) collected.set(name, value);
      if (hasUnreadOrder(run)) collected.set("dotted_order", run.dotted_order ?? null);
      runs.set(run.id, {
        run: before === undefined ? run : { ...before.run, ...presentEntries(run) },
        otherFields: collected,
        isNew: (before?.isNew ?? false) || kind === "post",
      });
    }
  }
  const sent = Array.from(runs.values(), ({ otherFields, ...each }): SentRun => ({
    ...each,
    otherFields: Object.fromEntries(otherFields),
    place: placeOf(each.run),
  }));
  return { runs: sent, flaws };
};
