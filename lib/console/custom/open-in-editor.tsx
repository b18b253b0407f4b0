import { Sure } from "../parts/act.tsx";
import { goTo, hrefTo } from "../place.ts";
import { hasDraft, putDraft } from "./draft.ts";
import type { MetricForm } from "./form.ts";
import { newDraft } from "./places.ts";

/** Begins a new metric with what is there; what is being written is not replaced unasked. */
export const OpenInEditor = ({ form }: { readonly form: () => MetricForm }) => {
  const label = "Open in the editor";
  const open = (): void => {
    putDraft(newDraft, form());
    goTo(hrefTo("new-metric"));
  };
  if (hasDraft(newDraft))
    return <Sure label={label} question="The metric that you have begun there is replaced." act={open} />;
  return (
    <button type="button" class="main" onClick={open}>
      {label}
    </button>
  );
};
