import { lazyPart } from "../lazy.tsx";

/** Buttons that save a list or a table as a file; their code is loaded after that of the page. */
export const Export = lazyPart(
  async () => (await import("./export-buttons.tsx")).ExportButtons,
  undefined,
  <span class="buttons control-high" />,
);
