import { effect, signal, type Signal } from "@preact/signals";

/** Parses JSON; null if it is malformed. */
const parse = (text: string | null): unknown => {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Returns a signal whose value is kept in this browser.
 *
 * @param key of the local storage. @param isValue false for what another version has stored, which is then dropped.
 */
export const storedSignal = <Value>(
  key: string,
  initial: Value,
  isValue: (stored: unknown) => stored is Value,
): Signal<Value> => {
  const stored = parse(localStorage.getItem(key));
  const value = signal(isValue(stored) ? stored : initial);
  effect(() => {
    if (value.value !== initial) localStorage.setItem(key, JSON.stringify(value.value));
  });
  return value;
};
