import { effect, signal } from "@preact/signals";

/** Titles of the colour schemes; `system` follows the operating system. */
export const themes = { system: "System", light: "Light", dark: "Dark" } as const;

type Theme = keyof typeof themes;

const storageKey = "assay.theme";

const stored = localStorage.getItem(storageKey) ?? "";
const isTheme = (text: string): text is Theme => Object.hasOwn(themes, text);

/** Colour scheme of the console, kept in this browser. */
export const theme = signal<Theme>(isTheme(stored) ? stored : "system");
effect(() => {
  localStorage.setItem(storageKey, theme.value);
  document.documentElement.style.colorScheme = theme.value === "system" ? "" : theme.value;
});
