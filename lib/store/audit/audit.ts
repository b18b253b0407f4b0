import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { differencesOf, repairUnchanged, type NotedDifference, type Totals } from "./totals.ts";

/** One kind of audited totals, and the notes of their differences. */
export interface AuditKind<Scope, Note, Counted, Value> {
  readonly partition: string;
  readonly retentionSeconds: number;
  /** Milliseconds after which every change from before a note is in its total. */
  readonly quietMilliseconds: number;
  /** Returns the sort key of a scope's note, which begins with the project and `#`. */
  readonly noteSort: (scope: Scope) => string;
  /** Returns the attributes of a note; null if there is no note without a difference. */
  readonly pack: (differences: readonly NotedDifference[]) => Readonly<Record<string, unknown>> | null;
  /** Parses the note of a difference; null for any other item. */
  readonly parse: (item: unknown) => Note | null;
  readonly totals: (scope: Scope) => Totals<Counted, Value>;
  /** Counts the items by total; null when the deadline `until` passed, epoch milliseconds. */
  readonly count: (scope: Scope, until: number) => Promise<ReadonlyMap<string, Counted> | null>;
}

/** The stored part of a note that an audit needs. */
interface AuditNote {
  /** Time of the comparison, epoch milliseconds. */
  readonly at: number;
  /** Returns the noted fingerprint of a total. */
  readonly noted: (total: string) => string | undefined;
}

/**
 * Compares totals that are folded from a stream with a count of their items. A change that the stream has not
 * delivered yet looks like a difference. A difference is therefore noted first; when the stream is quiet, the items are
 * counted again, and a total is repaired only if neither it nor its items have changed.
 */
export const audit = <Scope, Note extends Scope & AuditNote, Counted, Value>(
  database: Database,
  now: () => number,
  kind: AuditKind<Scope, Note, Counted, Value>,
) => {
  const items = itemsOf(database, "aggregates");

  const compare = async (scope: Scope, until: number) => {
    const [totals, countedTotals] = [kind.totals(scope), await kind.count(scope, until)];
    const partials = countedTotals === null ? null : await totals.read(until);
    return countedTotals === null || partials === null ? null : differencesOf(totals, partials, countedTotals);
  };

  /** Stores the note of a scope. @param notedAt time of the stored note, if it must be unchanged. */
  const putNote = async (scope: Scope, differences: readonly NotedDifference[], notedAt?: number) => {
    const [Key, attributes] = [{ pk: kind.partition, sk: kind.noteSort(scope) }, kind.pack(differences)];
    const ttl = Math.ceil(now() / 1000) + kind.retentionSeconds;
    const ifUnchanged = notedAt === undefined ? {} : { when: "#at = :at", values: { ":at": notedAt } };
    if (attributes !== null) await items.put({ ...Key, ...attributes, at: now(), ttl }, ifUnchanged);
    else if (notedAt !== undefined) await items.remove(Key, ifUnchanged);
  };

  return {
    /**
     * Compares the totals of a scope, and notes differences for a later repair.
     *
     * @param until deadline, epoch milliseconds.
     * @returns true if there are differences; null when the deadline passed first.
     */
    check: async (scope: Scope, until: number): Promise<boolean | null> => {
      const differences = await compare(scope, until);
      await putNote(scope, differences ?? []);
      return differences === null ? null : differences.length > 0;
    },

    /** Yields the notes of differences whose stream is quiet. Malformed notes are skipped, so that they block no check. */
    due: async function* () {
      for await (const item of items.query({ pk: kind.partition })) {
        const note = kind.parse(item);
        if (note !== null && now() - note.at >= kind.quietMilliseconds) yield note;
      }
    },

    /**
     * Claims a note by removing its differences, which are processed once: if the repair kills its worker, a later check
     * finds them again.
     *
     * @returns false if another worker has it.
     */
    claim: (note: Note): Promise<boolean> => succeeds(putNote(note, [], note.at)),

    /** Repairs the totals whose differences are as they were noted. @returns the number of repaired totals. */
    repair: async (note: Note, until: number): Promise<number> =>
      await repairUnchanged(database, kind.totals(note), (await compare(note, until)) ?? [], note.noted),
  };
};
