import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { storedProjectKeys } from "./sign-in.ts";

/** Returns the keys of a draft in session storage, the preferred one first: drafts are separate for each project. */
const storageKeysOf = (name: string): readonly string[] =>
  storedProjectKeys().map((project) => `assay-draft ${project} ${name}`);

/** Returns the JSON of a stored draft; null if there is none. */
const storedJson = (name: string): string | null => {
  for (const key of storageKeysOf(name)) {
    const json = sessionStorage.getItem(key);
    if (json !== null) return json;
  }
  return null;
};

/** Stores the JSON of a draft; null deletes it. */
const store = (name: string, json: string | null): void => {
  const keys = storageKeysOf(name);
  for (const key of keys) sessionStorage.removeItem(key);
  if (json !== null && keys[0] !== undefined) sessionStorage.setItem(keys[0], json);
};

/** Reads a stored draft; null if it is missing or invalid. */
const readDraft = <Value>(name: string, isValue: (value: unknown) => value is Value): Value | null => {
  try {
    const value: unknown = JSON.parse(storedJson(name) ?? "null");
    return isValue(value) ? value : null;
  } catch {
    return null;
  }
};

/** Stores a draft, which the editor opens later. */
export const saveDraft = (name: string, value: unknown): void => store(name, JSON.stringify(value));

/** True if a draft is stored under this name. */
export const hasDraft = (name: string): boolean => storedJson(name) !== null;

/** Type guard of drafts that are a text. */
export const isText = (value: unknown): value is string => typeof value === "string";

interface Draft<Value> {
  readonly value: Signal<Value>;
  /** Deletes the stored draft and stops storing changes. */
  readonly discard: () => void;
}

/**
 * Form state that is stored in the tab with each change: it survives a reload, an expired sign-in, and
 * another kind of sign-in to the same project.
 *
 * @param name name of the draft. @param initial value without a stored draft. @param isValue type guard for the stored value.
 */
export const useDraft = <Value>(
  name: string,
  initial: Value,
  isValue: (value: unknown) => value is Value,
): Draft<Value> => {
  const value = useSignal<Value>(readDraft(name, isValue) ?? initial);
  const isDiscarded = useSignal(false);
  // An unchanged form stores no draft.
  const initialJson = useSignal(JSON.stringify(initial));
  const json = JSON.stringify(value.value);
  useEffect(() => {
    if (isDiscarded.peek()) return;
    store(name, json === initialJson.peek() ? null : json);
  }, [json, name]);
  return {
    value,
    discard: () => {
      isDiscarded.value = true;
      store(name, null);
    },
  };
};
