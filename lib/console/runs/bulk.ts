import { signal } from "@preact/signals";
import { count, plural } from "../format.ts";

/** Most ids of a request that changes or deletes traces. */
export const maxPart = 500;

/** What a part of a change has done, by the service's reply. */
interface Receipt {
  readonly sent: number;
  readonly changed: number;
}

/** Receipts of a change of many items, in parts, of which the page shows the last one. */
export const bulkReceipts = signal<{
  readonly verb: string;
  readonly total: number;
  readonly parts: readonly Receipt[];
} | null>(null);

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
  let done = 0;
  bulkReceipts.value = { verb, total: ids.length, parts: [] };
  return async () => {
    while (done < ids.length) {
      const part = ids.slice(done, done + partSize);
      const changed = await change(part);
      done += part.length;
      const before = bulkReceipts.peek();
      if (before !== null) bulkReceipts.value = { ...before, parts: [...before.parts, { sent: part.length, changed }] };
    }
  };
};

/** Returns the state of a change in one sentence. */
export const receiptText = (noun: string): string => {
  const { verb, total, parts } = bulkReceipts.value ?? { verb: "", total: 0, parts: [] };
  const [sent, changed] = [0, 0].map((_, at) =>
    parts.reduce((sum, part) => sum + (at === 0 ? part.sent : part.changed), 0),
  );
  const missing = (sent ?? 0) - (changed ?? 0);
  return (
    `${plural(changed ?? 0, noun)} ${verb}` +
    (missing > 0 ? `, ${count(missing)} not found` : "") +
    (sent === total ? ` in ${plural(parts.length, "request")}.` : `; ${count(sent ?? 0)} of ${count(total)} done …`)
  );
};
