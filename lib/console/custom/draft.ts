import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { currentViewer } from "../sign-in.ts";

/** Returns the key of a draft in session storage; drafts are separate for each project. */
const storageKeyOf = (name: string): string => {
  const viewer = currentViewer.value;
  return `assay-draft ${viewer?.kind === "key" ? viewer.projectName : viewer?.projectId} ${name}`;
};

/** Reads a stored draft; null if it is missing or invalid. */
const readDraft = <Value>(key: string, isValue: (value: unknown) => value is Value): Value | null => {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return isValue(value) ? value : null;
  } catch {
    return null;
  }
};

/** Stores a draft, which the editor opens later. */
export const saveDraft = (name: string, value: unknown): void =>
  sessionStorage.setItem(storageKeyOf(name), JSON.stringify(value));

/** True if a draft is stored under this name. */
export const hasDraft = (name: string): boolean => sessionStorage.getItem(storageKeyOf(name)) !== null;

interface Draft<Value> {
  readonly value: Signal<Value>;
  /** Deletes the stored draft and stops storing changes. */
  readonly discard: () => void;
}

/**
 * Form state that is stored in the tab with each change: it survives a reload and an expired sign-in.
 *
 * @param name name of the draft. @param initial value without a stored draft. @param isValue type guard for the stored value.
 */
export const useDraft = <Value>(
  name: string,
  initial: Value,
  isValue: (value: unknown) => value is Value,
): Draft<Value> => {
  const value = useSignal<Value>(readDraft(storageKeyOf(name), isValue) ?? initial);
  const isDiscarded = useSignal(false);
  // An unchanged form stores no draft.
  const initialJson = useSignal(JSON.stringify(initial));
  const json = JSON.stringify(value.value);
  useEffect(() => {
    if (isDiscarded.peek()) return;
    if (json === initialJson.peek()) sessionStorage.removeItem(storageKeyOf(name));
    else sessionStorage.setItem(storageKeyOf(name), json);
  }, [json, name]);
  return {
    value,
    discard: () => {
      isDiscarded.value = true;
      sessionStorage.removeItem(storageKeyOf(name));
    },
  };
};
