import { signal, type ReadonlySignal } from "@preact/signals";
import type { Client } from "../client/client.ts";
import { client } from "./sign-in.ts";

/** Milliseconds for which a reply is shared: the parts of a page are shown within it, also on a slow network. */
const shareTime = 15_000;

/** A request that several parts of a page need. */
export interface SharedRequest<Value> {
  /** Returns the reply, by the same request for all calls within fifteen seconds. @param id id of a resource; empty for a list of the viewer. */
  readonly load: (id?: string) => Promise<Value>;
  /** Makes the next call send a request, after a change of what it reads. */
  readonly forget: () => void;
  /** Number of changes, for parts of the page that read again after one. */
  readonly version: ReadonlySignal<number>;
}

/** Shares a request among its callers while the sign-in stays the same; failures are not shared with later calls. */
export const sharedRequest = <Value>(request: (id: string) => Promise<Value>): SharedRequest<Value> => {
  const replies = new Map<string, Promise<Value>>();
  const version = signal(0);
  let owner: Client | null = null;
  return {
    load: (id = "") => {
      if (owner !== client.value) replies.clear();
      owner = client.value;
      const stored = replies.get(id);
      if (stored !== undefined) return stored;
      const reply = request(id);
      replies.set(id, reply);
      const forget = (): void => {
        if (replies.get(id) === reply) replies.delete(id);
      };
      reply.then(() => setTimeout(forget, shareTime), forget);
      return reply;
    },
    forget: () => {
      replies.clear();
      version.value += 1;
    },
    version,
  };
};
