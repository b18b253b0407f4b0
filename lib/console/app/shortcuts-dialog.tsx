import { useEffect, useRef } from "preact/hooks";
import { canWrite } from "../sign-in.ts";
import { activeShortcuts, areLettersEnabled } from "../shortcuts.ts";

/** Dialog with the shortcuts of the page, and a checkbox that disables single-character shortcuts. */
export const ShortcutsDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const shortcuts = activeShortcuts.value
    .flatMap(({ current }) => Object.entries(current))
    .filter(([, [, , writes]]) => !writes || canWrite.value);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <table class="keys-help">
        <tbody>
          <tr>
            <td>
              <kbd>Ctrl K</kbd>
            </td>
            <td>find a page, an action or an id</td>
          </tr>
          {[...Map.groupBy(shortcuts, ([, [, description]]) => description)].map(([description, entries]) => (
            <tr key={description}>
              <td>
                {entries.map(([key]) => (
                  <>
                    <kbd>{key.replace("Arrow", "")}</kbd>{" "}
                  </>
                ))}
              </td>
              <td>{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label>
        <input
          type="checkbox"
          checked={areLettersEnabled.value}
          onChange={(event) => (areLettersEnabled.value = event.currentTarget.checked)}
        />{" "}
        Enable single-character shortcuts
      </label>
      <div class="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
};
