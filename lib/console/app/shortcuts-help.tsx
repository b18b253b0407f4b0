import { useSignal } from "@preact/signals";
import { Keyboard } from "lucide";
import { Icon } from "../display/icon.tsx";
import { lazyPart } from "../parts/lazy.tsx";
import { useShortcuts } from "../shortcuts.ts";

const ShortcutsDialog = lazyPart(async () => (await import("./shortcuts-dialog.tsx")).ShortcutsDialog);

/** Button that opens the dialog with the shortcuts of the page, a new one each time: a dialog says that it has closed later than it closes. */
export const ShortcutsHelp = () => {
  const [times, closed] = [useSignal(0), useSignal(0)];
  const open = (): unknown => (times.value += 1);
  useShortcuts({ "?": [open, "show shortcuts"] });
  const current = times.value;
  return (
    <>
      <button type="button" class="quiet" onClick={open}>
        <Icon node={Keyboard} />
        <span>Shortcuts</span> <kbd>?</kbd>
      </button>
      {closed.value !== current && <ShortcutsDialog key={current} onClose={() => (closed.value = current)} />}
    </>
  );
};
