import type { PieceLocation } from "../../../domain/traces/row.ts";
import type { Database } from "../../../dynamo/database.ts";
import { succeeds } from "../../../dynamo/failure.ts";
import { itemsOf } from "../../../dynamo/items.ts";
import { packHashes } from "../../documents/filter-key-hashes.ts";
import { writeHour } from "../../documents/pieces.ts";
import { bodyPartition, filterSort, partSort, pointerKey } from "../keys.ts";

/** Stores and deletes the parts of a trace's document pieces and its span-id filters: a row that names them commits them. */
export const traceParts = (database: Database, now: () => number) => {
  const bodies = itemsOf(database, "bodies");

  return {
    /** Stores parts of a document piece. @param from number of the first part. */
    putParts: async (
      project: string,
      trace: string,
      incarnation: string,
      piece: string,
      parts: readonly Buffer[],
      from: number,
      expiresAt: number | null,
    ): Promise<void> => {
      await Promise.all(
        parts.map((bytes, index) =>
          bodies.put({
            pk: bodyPartition(project, trace),
            sk: partSort(piece, from + index),
            b: bytes,
            i: incarnation,
            w: writeHour(now()),
            ttl: expiresAt ?? undefined,
          }),
        ),
      );
    },

    /** Stores a span-id filter. */
    putFilter: async (
      project: string,
      trace: string,
      incarnation: string,
      filter: string,
      hashes: Iterable<number>,
      expiresAt: number | null,
    ): Promise<void> => {
      await bodies.put({
        pk: bodyPartition(project, trace),
        sk: filterSort(filter),
        b: packHashes(hashes),
        i: incarnation,
        w: writeHour(now()),
        ttl: expiresAt ?? undefined,
      });
    },

    /** Deletes a span-id filter that no row names (any more). */
    deleteFilter: async (project: string, trace: string, filter: string): Promise<void> => {
      await bodies.remove({ pk: bodyPartition(project, trace), sk: filterSort(filter) });
    },

    /**
     * Deletes a document piece that no row names (any more).
     *
     * @param afterEach called after each part outside of the pointer with its consumed write units; infinite if
     *   DynamoDB does not report them.
     */
    deletePiece: async (
      project: string,
      trace: string,
      incarnation: string,
      location: PieceLocation,
      afterEach?: (units: number) => Promise<unknown>,
    ): Promise<void> => {
      const inPointer = location.id === incarnation;
      if (inPointer) {
        // A refusal means that another writer has claimed the id and replaced the part.
        await succeeds(
          bodies.update(pointerKey(project, trace), "REMOVE b", { when: "i = :i", values: { ":i": incarnation } }),
        );
      }
      const pk = bodyPartition(project, trace);
      for (let part = inPointer ? 1 : 0; part < location.parts; part += 1) {
        const { ConsumedCapacity } = await bodies.remove(
          { pk, sk: partSort(location.id, part) },
          { ReturnConsumedCapacity: afterEach === undefined ? "NONE" : "TOTAL" },
        );
        await afterEach?.(ConsumedCapacity?.CapacityUnits ?? Number.POSITIVE_INFINITY);
      }
    },
  };
};
