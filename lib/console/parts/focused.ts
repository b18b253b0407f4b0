/** Puts the keyboard where something new is to be written. */
export const focused = (element: HTMLElement | null): void => element?.focus();
