import type { Functions } from "../lambda/functions.ts";
import type { EventSource } from "./event-source.ts";
import type { FailureDestination } from "./failure-record.ts";
import { deliver, type Delivery } from "./stream-delivery.ts";
import { callStreamFunction, giveUpBatch } from "./stream-function.ts";
import type { Positions } from "./stream-positions.ts";
import type { StreamRecord } from "./stream-record.ts";
import { isOver, isStateTooLarge, type OpenWindow, windowAt, windowEvent } from "./tumbling-window.ts";

/** Passes a shard's records to the mapped function, in order. */
export interface ShardConsumer {
  consume(records: readonly StreamRecord[], signal: AbortSignal): Promise<void>;
  /** Closes the open window if its end has passed. Called when all records so far have been consumed. */
  closeEndedWindow(signal: AbortSignal): Promise<void>;
}

/** Options of a shard consumer. */
export interface ShardConsumerOptions {
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

/** Creates the consumer of a shard. A window that was open when the previous run stopped is continued. */
export const shardConsumer = (options: ShardConsumerOptions): ShardConsumer => {
  const { functions, source, shardId, positions, key, destination, backOff = 200 } = options;
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
    let remaining = records;
    while (remaining.length > 0) {
      const [first] = remaining;
      const next = windowAt(first?.at ?? 0, source.tumblingWindow);
      if (window !== undefined && next.start > window.start) await closeWindow(signal, false);
      window ??= next;
      const { end } = window;
      const outside = remaining.findIndex(({ at }) => at >= end);
      const inside = outside === -1 ? remaining : remaining.slice(0, outside);
      await deliver(
        inside,
        delivery(signal, (last) => save(last.sequence)),
      );
      if (isStateTooLarge(window.state)) await closeWindow(signal, true);
      remaining = remaining.slice(inside.length);
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
    closeEndedWindow: async (signal) => {
      if (window !== undefined && isOver(window, Date.now())) await closeWindow(signal, false);
    },
  };
};
