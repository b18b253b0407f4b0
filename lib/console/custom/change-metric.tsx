import type { CustomMetric } from "../../client/interface.ts";
import { useDraft } from "./draft.ts";
import { Editor } from "./editor.tsx";
import { formOf } from "./form.ts";
import { isForm } from "./is-form.ts";
import { changeDraft } from "./places.ts";

/** A change of a metric: a new version. */
export const ChangeMetric = ({
  metric,
  changed,
  leave,
}: {
  readonly metric: CustomMetric;
  readonly changed: (made: CustomMetric) => void;
  readonly leave: () => void;
}) => {
  const draft = useDraft(changeDraft(metric.reference), formOf(metric.definition, metric.name), isForm);
  return (
    <Editor
      draft={draft.value}
      base={metric}
      done={(made) => {
        draft.drop();
        changed(made);
      }}
      leave={() => {
        draft.drop();
        leave();
      }}
    />
  );
};
