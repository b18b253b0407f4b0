import { signal } from "@preact/signals";
import type { Alert } from "../../client/interface.ts";
import type { LoadState } from "../use-load.ts";

/** Alert rules of the project, which the bell loads for all pages; null before its first request. */
export const alertList = signal<LoadState<readonly Alert[]> | null>(null);

/** Returns the rules in ALERT; one that is paused counts as none. */
export const raisedOf = (rules: readonly Alert[]): readonly Alert[] =>
  rules.filter(({ enabled, state }) => enabled && state === "ALERT");
