import { lazyPart } from "../parts/lazy.tsx";

/** Dialog that starts a run, in a file that is loaded when the dialog is first opened. */
export const EvaluateDialog = lazyPart(async () => (await import("./evaluate-dialog.tsx")).EvaluateDialog);
