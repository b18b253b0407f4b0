import { signal } from "@preact/signals";
import { count, plural } from "../format.ts";

/** Most ids of a request that changes or deletes traces. */
export const maxPart = 500;

/** What the requests of a change of many items have done, by the service's replies. */
interface Receipt {
  readonly verb: string;
  readonly total: number;
  /** Ids sent so far, and how many of them the service found. */
  readonly sent: number;
  readonly changed: number;
  readonly requests: number;
}

/** Receipt of the last change of many items on this page; null without one. */
export const bulkReceipt = signal<Receipt | null>(null);

/**
 * Returns the work of a change in parts. Called again after a failure it goes on with the part that failed, as the parts before it are done.
 *
 * @param verb what has happened to an item: `deleted`. @param change changes a part and returns how many items it found.
 */
export const inParts = (
  ids: readonly string[],
  verb: string,
  partSize: number,
  change: (part: readonly string[]) => Promise<number>,
): (() => Promise<void>) => {
  let [sent, changed, requests] = [0, 0, 0];
  const say = (): unknown => (bulkReceipt.value = { verb, total: ids.length, sent, changed, requests });
  say();
  return async () => {
    while (sent < ids.length) {
      const part = ids.slice(sent, sent + partSize);
      changed += await change(part);
      sent += part.length;
      requests += 1;
      say();
    }
  };
};

/** Returns a receipt in one sentence. */
export const receiptText = ({ verb, total, sent, changed, requests }: Receipt, noun: string): string =>
  `${plural(changed, noun)} ${verb}${sent > changed ? `, ${count(sent - changed)} not found` : ""}` +
  (sent === total ? ` in ${plural(requests, "request")}.` : `; ${count(sent)} of ${count(total)} done …`);
