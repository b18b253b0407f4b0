import { useSignal } from "@preact/signals";
import type { Project, TraceInput } from "../../client/interface.ts";
import { maskingPresets } from "../../domain/masking/presets.ts";
import { useAction } from "../parts/action.tsx";
import { Checkboxes } from "../parts/controls.tsx";
import { handleSubmit } from "../parts/form-bindings.ts";
import { textFields } from "../parts/text-field.tsx";
import { client, clientSending } from "../sign-in.ts";

const linesOf = (text: string): readonly string[] => text.split("\n").flatMap((line) => line.trim() || []);

const presetTitles = maskingPresets.map((key) => ({ key, label: key }));

/** Form with the masking rules of a project, which shows what they make of a pasted trace before they are saved. */
export const MaskingForm = ({ project, onSave }: { readonly project: Project; readonly onSave: () => void }) => {
  const { id: project_id, org_id, masking } = project;
  const form = useSignal({ keys: masking.keys.join("\n"), paths: masking.paths.join("\n"), trace: "" });
  const presets = useSignal<readonly string[]>(masking.presets);
  const masked = useSignal("");
  const { perform, isBusy, outcome } = useAction();
  const field = textFields(form.value, (name, text) => {
    form.value = { ...form.value, [name]: text };
  });
  const rules = () => ({
    keys: linesOf(form.value.keys),
    paths: linesOf(form.value.paths),
    presets: maskingPresets.filter((preset) => presets.value.includes(preset)),
  });
  const save = () =>
    perform(async () => {
      await client.value.updateProject({ path: { org_id, project_id }, body: { masking: rules() } });
      onSave();
      return "Saved. The rules apply to what arrives from now on.";
    });
  const preview = () =>
    perform(async () => {
      masked.value = "";
      const trace: TraceInput = JSON.parse(form.value.trace);
      const sender = clientSending("X-Organization-ID", org_id);
      const reply = await sender.previewMasking({ path: { project_id }, body: { trace, masking: rules() } });
      masked.value = JSON.stringify(reply, null, 2);
    });
  return (
    <form onSubmit={handleSubmit(save)}>
      {field("keys", "Keys, one a line; * stands for any characters", { lines: 2, isCode: true, hint: "password" })}
      {field("paths", "JSON paths, one a line", { lines: 2, isCode: true, hint: "$.metadata.customer" })}
      <Checkboxes titles={presetTitles} selection={presets.value} onChange={(chosen) => (presets.value = chosen)} />
      {field("trace", "A trace to try, as POST /traces takes it", { lines: 4, isCode: true })}
      <p class="buttons">
        <button type="button" disabled={isBusy || form.value.trace.trim() === ""} onClick={() => void preview()}>
          Preview
        </button>
        <button type="submit" disabled={isBusy}>
          Save
        </button>
      </p>
      {masked.value !== "" && <pre class="data">{masked}</pre>}
      {outcome}
    </form>
  );
};
