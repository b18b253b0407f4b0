import type { Caller } from "./client/caller.ts";
import type { Reply, Wire } from "./client/exchange.ts";
import type { Patience } from "./patience.ts";

export type Verdict = "holds" | "does not hold" | "could not be asked";

/** What came of a question. `seen` tells it in words and figures. */
export interface Answer {
  readonly verdict: Verdict;
  readonly seen: string;
}

/** Whom a deployment is asked as, and how long is waited. */
export interface Scene {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Of the project that is verify's own. */
  readonly projectName: string;
  /** The API key, within the project. */
  readonly project: Caller;
  /** Nobody: no credential. */
  readonly nobody: Caller;
  /** The user of the bearer token; null when there is no token. */
  readonly user: Caller | null;
  readonly patience: Patience;
  /** Replies that were seen so far, and those that had no `X-Request-ID`. */
  readonly seen: { readonly replies: number; readonly unnamed: readonly string[] };
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Calls with another API key, within the project. */
  readonly callerWithKey: (key: string) => Caller;
}

/** Something that is asked of a deployment. */
export interface Question {
  /** What holds, as a sentence without its full stop. */
  readonly title: string;
  /** What it throws is an answer too: it does not hold. */
  readonly ask: (scene: Scene) => Promise<Answer>;
}

export const holds = (seen: string): Answer => ({ verdict: "holds", seen });
export const fails = (seen: string): Answer => ({ verdict: "does not hold", seen });
export const notAsked = (why: string): Answer => ({ verdict: "could not be asked", seen: why });

/** Holds when nothing was found to be different. */
export const judged = (differences: readonly string[], seen: string): Answer =>
  differences.length === 0 ? holds(seen) : fails(differences.join("; "));

/** What a request is called in an answer. */
export const nameOf = ({ method, path }: Wire): string => `${method} ${path}`;

/** Whether a reply can be found in the logs. */
export const isNamed = ({ headers }: Reply): boolean => {
  const id = headers["x-request-id"];
  return typeof id === "string" && /^[A-Za-z0-9._-]{1,128}$/u.test(id);
};
