import { Keyboard } from "lucide";
import { useRef } from "preact/hooks";
import { Icon } from "../display/icon.tsx";
import { canWrite } from "../sign-in.ts";
import { activeShortcuts, areLettersEnabled, useShortcuts } from "../shortcuts.ts";

/** Button and dialog with the shortcuts of the page, and a checkbox that disables single-character shortcuts. */
export const ShortcutsHelp = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (): void => dialog.current?.showModal();
  useShortcuts({ "?": [open, "show shortcuts"] });
  const shortcuts = activeShortcuts.value
    .flatMap(({ current }) => Object.entries(current))
    .filter(([, [, , writes]]) => !writes || canWrite.value);
  return (
    <>
      <button type="button" class="quiet" onClick={open}>
        <Icon node={Keyboard} />
        <span>Shortcuts</span> <kbd>?</kbd>
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title">
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
    </>
  );
};
