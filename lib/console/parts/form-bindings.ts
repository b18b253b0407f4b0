import type { Signal } from "@preact/signals";

/** Returns a submit handler that calls a function instead of leaving the page. */
export const handleSubmit =
  (submit: () => unknown) =>
  (event: Event): void => {
    event.preventDefault();
    submit();
  };

/** Returns the props that bind a text field to a signal: `<input {...bindText(name)} />`. */
export const bindText = (text: Signal<string>) => ({
  value: text,
  onInput: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }): void => {
    text.value = value;
  },
});

/** Parses a number; NaN for an empty text, which the service then rejects with the field's path. */
export const numberIn = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text.replace(",", ".")));

/** Ref callback that focuses an element when it is mounted. */
export const focusOnMount = (element: HTMLElement | null): void => element?.focus();
