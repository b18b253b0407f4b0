import { useSignal } from "@preact/signals";
import { bindText, handleSubmit } from "../parts/form-bindings.ts";
import { isPlainObject } from "../parts/is-object.ts";
import { hrefTo, route } from "../route.ts";
import { storedProjectKeys } from "../sign-in.ts";
import { storedSignal } from "../stored-signal.ts";

/** A named list: its address, `#/traces?...`. */
interface View {
  readonly name: string;
  readonly href: string;
}

type Views = Readonly<Record<string, readonly View[]>>;

/** Max views of a project. */
const maxViews = 50;

const isView = (stored: unknown): stored is View =>
  isPlainObject(stored) && typeof stored["name"] === "string" && String(stored["href"]).startsWith("#/");

const isViews = (stored: unknown): stored is Views =>
  isPlainObject(stored) && Object.values(stored).every((views) => Array.isArray(views) && views.every(isView));

/** Views by project; kept in this browser. */
const viewsByProject = storedSignal<Views>("assay.views", {}, isViews);

/** Links to the views that were saved for the project, and a form that saves the current one. */
export const SavedViews = () => {
  const [project = "", ...otherKeys] = storedProjectKeys();
  const views = [project, ...otherKeys].flatMap((key) => viewsByProject.value[key] ?? []);
  const name = useSignal("");
  const setViews = (next: readonly View[]): unknown =>
    (viewsByProject.value = {
      ...viewsByProject.value,
      ...Object.fromEntries(otherKeys.map((key) => [key, []])),
      [project]: next.slice(0, maxViews),
    });
  const save = (): void => {
    const { page, id, query } = route.value;
    const view = { name: name.value.trim(), href: hrefTo(page, id, query) };
    if (view.name === "") return;
    setViews([view, ...views.filter((each) => each.name !== view.name)]);
    name.value = "";
  };
  return (
    <div class="panel" role="group" aria-label="Saved views">
      {views.map((view) => (
        <span class="chip" key={view.name}>
          <a href={view.href} dir="auto">
            {view.name}
          </a>{" "}
          <button
            type="button"
            class="quiet"
            aria-label={`Forget the view ${view.name}`}
            onClick={() => setViews(views.filter((each) => each.name !== view.name))}
          >
            ✕
          </button>
        </span>
      ))}
      <form onSubmit={handleSubmit(save)}>
        <input
          aria-label="Name of the view"
          placeholder="Name of the view"
          required
          maxLength={60}
          {...bindText(name)}
        />
        <button type="submit">Save this view</button>
      </form>
      <span class="faint">
        Kept in this browser for this project, not on the server. The address of this page has the view, too: send it to
        others.
      </span>
    </div>
  );
};
