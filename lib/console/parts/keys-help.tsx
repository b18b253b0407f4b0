import { useRef } from "preact/hooks";
import { mayWrite } from "../sign-in.ts";
import { keysOnPage, lettersWork, useKeys } from "../keys.ts";

/** What the keys of this page do, at `?` or by mouse; and a switch for those of one character. */
export const KeysHelp = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (): void => dialog.current?.showModal();
  useKeys({ "?": [open, "shows the keys"] });
  const all = keysOnPage.value
    .flatMap(({ current }) => Object.entries(current))
    .filter(([, [, , writes]]) => !writes || mayWrite.value);
  return (
    <>
      <button type="button" class="quiet" onClick={open}>
        Keys <kbd>?</kbd>
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title">
        <h2 id="keys-title">Keys of this page</h2>
        <table class="keys-help">
          <tbody>
            {[...Map.groupBy(all, ([, [, does]]) => does)].map(([does, some]) => (
              <tr key={does}>
                <td>
                  {some.map(([key]) => (
                    <>
                      <kbd>{key.replace("Arrow", "")}</kbd>{" "}
                    </>
                  ))}
                </td>
                <td>{does}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <label>
          <input
            type="checkbox"
            checked={lettersWork.value}
            onChange={(event) => (lettersWork.value = event.currentTarget.checked)}
          />{" "}
          Letters and signs work as keys
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
