import { signal } from "@preact/signals";
import { Switch } from "../parts/controls.tsx";
import { storedSignal } from "../stored-signal.ts";

const titles = { one: "One line", two: "Two lines" } as const;

type Lines = keyof typeof titles;

const isLines = (stored: unknown): stored is Lines => stored === "one" || stored === "two";

/** Lines of a row on a wide screen; kept in this browser. */
const lines = storedSignal<Lines>("assay.rows", "one", isLines);

const wideScreen = matchMedia("(min-width: 900px)");
const isWide = signal(wideScreen.matches);
wideScreen.addEventListener("change", ({ matches }) => (isWide.value = matches));

/** Returns the height of a list's rows in pixels: 28 or 52. A narrow screen has the latter. */
export const rowHeight = (): 28 | 52 => (isWide.value && lines.value === "one" ? 28 : 52);

/** Choice of the height of rows. */
export const RowHeightChoice = () => (
  <Switch label="Rows" value={lines.value} options={titles} onSelect={(next) => (lines.value = next)} />
);
