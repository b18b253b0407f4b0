import type { Complete } from "../completion.ts";

/** What can be stored for a provider; each is an SSM parameter of its own. */
export type Setting = "key" | "baseUrl";

/** Values of a provider's settings, as stored. */
export type Settings = Readonly<Partial<Record<Setting, string>>>;

/** A provider of judge models. One small file each. */
export interface Provider {
  /** Without these there is no call. */
  readonly required: readonly Setting[];
  /** What to do about a missing setting, as the end of a sentence; `parameter` is the SSM parameter's name. */
  readonly advice: (parameter: string) => string;
  /** @param now epoch milliseconds. */
  readonly connect: (settings: Settings, now: () => number) => Complete;
}
