import { useDraft } from "../custom/draft.ts";
import { Editor } from "../custom/editor.tsx";
import { emptyForm } from "../custom/form.ts";
import { isForm } from "../custom/is-form.ts";
import { hrefOfMetric, newDraft } from "../custom/places.ts";
import { goTo, hrefTo } from "../place.ts";

/** A metric of one's own is made. */
export const NewMetricPage = () => {
  const draft = useDraft(newDraft, emptyForm, isForm);
  return (
    <main>
      <h1>New metric</h1>
      <Editor
        draft={draft.value}
        base={null}
        done={({ name }) => {
          draft.drop();
          goTo(hrefOfMetric(name));
        }}
        leave={() => {
          draft.drop();
          goTo(hrefTo("own-metrics"));
        }}
      />
    </main>
  );
};
