import { count } from "../format.ts";

const title = "The local runtime's fixed rules look at statuses and names only: these scores are for demonstration.";

/** Says how many of an average's scores no model gave; nothing if there are none. */
export const RuleBasedNote = ({
  scores: { rule_based_count: ruleBased },
}: {
  readonly scores: { readonly rule_based_count: number };
}) =>
  ruleBased === 0 ? null : (
    <span class="bad" title={title}>
      {count(ruleBased)} by offline/rules
    </span>
  );
