import type { Functions } from "../lambda/functions.ts";
import type { EventSource } from "./event-source.ts";
import type { FailureDestination } from "./failure-record.ts";
import { deliver, type Delivery } from "./stream-delivery.ts";
import { callStreamFunction, giveUpBatch } from "./stream-function.ts";
import type { Positions } from "./stream-positions.ts";
import type { StreamRecord } from "./stream-record.ts";
import { isOver, isStateTooLarge, type OpenWindow, windowAt, windowEvent } from "./tumbling-window.ts";

/** Hands a shard's records to the function, in order. */
export interface ShardConsumer {
  consume(records: readonly StreamRecord[], signal: AbortSignal): Promise<void>;
  /** Closes a window that is over, once everything up to now was consumed. */
  rest(signal: AbortSignal): Promise<void>;
}

/** Everything a consumer works with. */
export interface Consumption {
  readonly functions: Functions;
  readonly source: EventSource;
  readonly shardId: string;
  readonly positions: Positions;
  readonly key: string;
  readonly destination: FailureDestination;
  /** Milliseconds before the first retry. */
  readonly backOff?: number;
}

const lanesOf = (records: readonly StreamRecord[], count: number): readonly (readonly StreamRecord[])[] => {
  const lanes: StreamRecord[][] = Array.from({ length: count }, () => []);
  for (const record of records) {
    let hash = 0;
    for (const character of record.item) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
    lanes[hash % count]?.push(record);
  }
  return lanes.filter((lane) => lane.length > 0);
};

/** Makes the consumer of a shard. It goes on with a window that was open when the last run stopped. */
export const shardConsumer = (given: Consumption): ShardConsumer => {
  const { functions, source, shardId, positions, key, destination, backOff = 200 } = given;
  const giveUp = giveUpBatch(functions, source, shardId, destination);
  const runningSince = Date.now();
  let window: OpenWindow | undefined = positions.get(key)?.window;

  const save = (sequence: string): void => positions.set(key, { sequence, ...(window && { window }) });

  const delivery = (signal: AbortSignal, progress: Delivery["progress"]): Delivery => ({
    ...source,
    runningSince,
    signal,
    backOff,
    giveUp,
    progress,
    call: async (records) => {
      const members = window && windowEvent(window, shardId, source.sourceArn, { final: false, early: false });
      const { outcome, state } = await callStreamFunction(functions, source, records, members ?? {});
      if (window !== undefined && state !== undefined) window = { ...window, state };
      return outcome;
    },
  });

  const closeWindow = async (signal: AbortSignal, early: boolean): Promise<void> => {
    if (window === undefined) return;
    const closing = window;
    const members = windowEvent(closing, shardId, source.sourceArn, { final: true, early });
    const marker = { sequence: positions.get(key)?.sequence ?? "", at: closing.end, item: "", event: {}, size: 0 };
    await deliver([marker], {
      ...delivery(signal, () => undefined),
      giveUp: async () => undefined,
      call: async () => (await callStreamFunction(functions, source, [], members)).outcome,
    });
    window = early ? { ...closing, state: {} } : undefined;
    if (marker.sequence !== "") save(marker.sequence);
  };

  const consumeInWindows = async (records: readonly StreamRecord[], signal: AbortSignal): Promise<void> => {
    let left = records;
    while (left.length > 0) {
      const [first] = left;
      const next = windowAt(first?.at ?? 0, source.tumblingWindow);
      if (window !== undefined && next.start > window.start) await closeWindow(signal, false);
      window ??= next;
      const { end } = window;
      const outside = left.findIndex(({ at }) => at >= end);
      const inside = outside === -1 ? left : left.slice(0, outside);
      await deliver(
        inside,
        delivery(signal, (last) => save(last.sequence)),
      );
      if (isStateTooLarge(window.state)) await closeWindow(signal, true);
      left = left.slice(inside.length);
    }
  };

  const consumeInLanes = async (records: readonly StreamRecord[], signal: AbortSignal): Promise<void> => {
    if (source.parallelization === 1) {
      await deliver(
        records,
        delivery(signal, (last) => save(last.sequence)),
      );
      return;
    }
    const lanes = lanesOf(records, source.parallelization);
    await Promise.all(
      lanes.map((lane) =>
        deliver(
          lane,
          delivery(signal, () => undefined),
        ),
      ),
    );
    save(records.at(-1)?.sequence ?? "");
  };

  return {
    consume: source.tumblingWindow > 0 ? consumeInWindows : consumeInLanes,
    rest: async (signal) => {
      if (window !== undefined && isOver(window, Date.now())) await closeWindow(signal, false);
    },
  };
};
