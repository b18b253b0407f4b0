/** Moves the focus from an element of a list, which may vanish, to the list's summary. */
export const focusSummary = (element: HTMLElement | null): void =>
  element?.closest(".list")?.querySelector<HTMLElement>(".said")?.focus();
