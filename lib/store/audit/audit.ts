import { DeleteCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { differencesOf, repairUnchanged, type NotedDifference, type Totals } from "./totals.ts";

/** Yields the notes in a partition of the table `aggregates`: all, or those of one project. */
export const auditNotes = async function* ({ client, table }: Database, partition: string, project?: string) {
  const pages = paginateQuery(
    { client },
    {
      TableName: table("aggregates"),
      KeyConditionExpression: project === undefined ? "pk = :pk" : "pk = :pk AND begins_with(sk, :project)",
      ExpressionAttributeValues: { ":pk": partition, ...(project !== undefined && { ":project": `${project}#` }) },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) yield* Items;
};

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
  const { client, table } = database;

  const compare = async (scope: Scope, until: number) => {
    const [totals, countedTotals] = [kind.totals(scope), await kind.count(scope, until)];
    const partials = countedTotals === null ? null : await totals.read(until);
    return countedTotals === null || partials === null ? null : differencesOf(totals, partials, countedTotals);
  };

  /** Stores the note of a scope. @param notedAt time of the stored note, if it must be unchanged. */
  const putNote = async (scope: Scope, differences: readonly NotedDifference[], notedAt?: number) => {
    const [TableName, Key] = [table("aggregates"), { pk: kind.partition, sk: kind.noteSort(scope) }];
    const attributes = kind.pack(differences);
    const Item = { ...Key, ...attributes, at: now(), ttl: Math.ceil(now() / 1000) + kind.retentionSeconds };
    const ifUnchanged = notedAt !== undefined && {
      ConditionExpression: "#at = :at",
      ExpressionAttributeNames: { "#at": "at" },
      ExpressionAttributeValues: { ":at": notedAt },
    };
    if (attributes !== null) await client.send(new PutCommand({ TableName, Item, ...ifUnchanged }));
    else if (notedAt !== undefined) await client.send(new DeleteCommand({ TableName, Key, ...ifUnchanged }));
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
      for await (const item of auditNotes(database, kind.partition)) {
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
