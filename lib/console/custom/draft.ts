import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { reader } from "../sign-in.ts";

/** Where what is being written stays: in this tab, by project. */
const keyOf = (name: string): string => {
  const who = reader.value;
  return `assay-draft ${who?.kind === "key" ? who.projectName : who?.projectId} ${name}`;
};

/** What is being written, as far as it can be read. */
const draftAt = <Value>(key: string, isOne: (value: unknown) => value is Value): Value | null => {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return isOne(value) ? value : null;
  } catch {
    return null;
  }
};

/** Puts something down to be written on with. */
export const putDraft = (name: string, value: unknown): void =>
  sessionStorage.setItem(keyOf(name), JSON.stringify(value));

/** Whether something is being written there. */
export const hasDraft = (name: string): boolean => sessionStorage.getItem(keyOf(name)) !== null;

interface Draft<Value> {
  readonly value: Signal<Value>;
  /** Whether it is from before: it was left unfinished. */
  readonly isFound: boolean;
  /** Lets go of it. */
  readonly drop: () => void;
}

/**
 * What is being written: it outlives a reload and the end of the session.
 *
 * @param name of the draft. @param begin what is there before anything is written.
 */
export const useDraft = <Value>(
  name: string,
  begin: Value,
  isOne: (value: unknown) => value is Value,
): Draft<Value> => {
  const found = useSignal(draftAt(keyOf(name), isOne));
  const value = useSignal<Value>(found.peek() ?? begin);
  const isDropped = useSignal(false);
  // Where nothing is written nothing is kept.
  const first = useSignal(JSON.stringify(begin));
  const written = JSON.stringify(value.value);
  useEffect(() => {
    if (isDropped.peek()) return;
    if (written === first.peek()) sessionStorage.removeItem(keyOf(name));
    else sessionStorage.setItem(keyOf(name), written);
  }, [written, name]);
  return {
    value,
    isFound: found.value !== null,
    drop: () => {
      isDropped.value = true;
      sessionStorage.removeItem(keyOf(name));
    },
  };
};
