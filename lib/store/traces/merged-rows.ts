import type { SortOrder } from "../../domain/list-order.ts";

/** A row with its sort key. */
interface KeyedRow {
  readonly key: Buffer;
}

/** Reads the next page of a partition's rows in order, of at most `limit` rows: expired ones count, but are left out. */
type PageReader<Row> = (limit: number) => Promise<{ readonly rows: readonly Row[]; readonly isLast: boolean }>;

/**
 * Yields the rows of a day's partitions in the order of their sort keys, in batches.
 *
 * @param limit number of rows after which the consumer stops. Each partition is read for its share of them first,
 *   since rows are spread evenly; one whose share was too small is read again.
 */
export const mergedRows = async function* <Row extends KeyedRow>(
  readers: readonly PageReader<Row>[],
  order: SortOrder,
  limit: number,
): AsyncGenerator<readonly Row[]> {
  const direction = order === "asc" ? 1 : -1;
  const compare = (a: KeyedRow, b: KeyedRow): number => direction * Buffer.compare(a.key, b.key);
  const partitions = readers.map((read) => ({ read, rows: [] as readonly Row[], isEnd: false }));
  const share = Math.ceil(limit / readers.length);
  for (let remaining = limit; remaining > 0;) {
    const unread = partitions.filter(({ isEnd }) => !isEnd);
    const pageSize = Math.min(remaining, Math.max(share, Math.ceil(remaining / unread.length)));
    await Promise.all(
      unread.map(async (partition) => {
        while (!partition.isEnd && partition.rows.length === 0) {
          const { rows, isLast } = await partition.read(pageSize);
          Object.assign(partition, { rows, isEnd: isLast });
        }
      }),
    );
    // What a partition has after the last row that was read of it is unknown: rows after that wait for its next page.
    const [bound] = partitions.flatMap(({ isEnd, rows }) => (isEnd ? [] : rows.slice(-1))).toSorted(compare);
    const batch: Row[] = [];
    for (const partition of partitions) {
      const end = bound === undefined ? -1 : partition.rows.findIndex((row) => compare(row, bound) > 0);
      batch.push(...(end === -1 ? partition.rows : partition.rows.slice(0, end)));
      partition.rows = end === -1 ? [] : partition.rows.slice(end);
    }
    if (batch.length === 0) return;
    yield readers.length === 1 ? batch : batch.sort(compare);
    remaining -= batch.length;
  }
};
