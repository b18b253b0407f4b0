import {
  latencyOf,
  type LateKnowledge,
  type ListedTrace,
  type PieceLocation,
  type RowFacts,
} from "../../domain/traces/row.ts";
import { traceStatuses, type TraceStatus } from "../../domain/traces/trace.ts";
import type { Instant } from "../../domain/instant.ts";
import { ByteReader } from "../bytes/reader.ts";
import type { Contribution } from "../../domain/traces/totals.ts";
import { readLate } from "../documents/packed-late.ts";
import { factsFromFields } from "./facts/facts-codec.ts";
import { readTail } from "./row-tail.ts";
import { readUsage, type Usage } from "./packed-contributions.ts";
import { epochAt, instantAtDistance, instantOf, readDistance, type Distance } from "../bytes/instant.ts";
import { readSigned } from "../bytes/number.ts";
import { readText, skipText, uuidOf } from "../bytes/text.ts";

/** Tells the form of a packed row, in the upper bits of its first byte; the status is in the lower two. */
export const rowFormat = 2;
export const statusCount = 4;

/** Where in the bytes a field begins. */
interface Places {
  readonly userId: number;
  readonly sessionId: number;
  readonly tags: number;
  readonly rest: number;
}

/** What comes after the fields that filters look at. */
interface Rest extends Usage {
  readonly environment: string | null;
  readonly release: string | null;
  readonly spanCount: number;
  readonly firstSpan: Distance | null;
  readonly lastSpan: Distance | null;
  readonly arrivedAt: number;
  readonly changedAt: number;
  /** An id of null is the incarnation's. */
  readonly pieces: readonly (Omit<PieceLocation, "id"> & { readonly id: string | null })[];
  /** Where the fields behind the row's end begin. */
  readonly tail: number;
}

const readList = <Item>(reader: ByteReader, read: () => Item): Item[] => Array.from({ length: reader.whole() }, read);

/**
 * A row as it was packed. Nothing is unpacked before it is looked at: a list looks at a field or two of a hundred thousand
 * rows and at the whole of fifty.
 */
export class PackedTrace implements ListedTrace {
  /** The row's sort key: rows of a project are ordered by start and trace id when these are. */
  readonly key: Buffer;
  /** Null where it was not read. */
  readonly incarnation: string | null;
  readonly #reader: ByteReader;
  readonly #first: number;
  /** Where the name begins, once the end has been read. */
  readonly #name: number;
  readonly #distance: Distance | null;
  #places: Places | undefined;
  #rest: Rest | undefined;

  /** @throws Error when the bytes are packed in another form, RangeError when they end too early. */
  constructor(key: Buffer, packed: Uint8Array, incarnation: string | null = null) {
    this.key = key;
    this.incarnation = incarnation;
    this.#reader = new ByteReader(packed);
    this.#first = this.#reader.byte();
    if (Math.floor(this.#first / statusCount) !== rowFormat) {
      throw new Error("The row is packed in a form this code does not know.");
    }
    this.#distance = readDistance(this.#reader);
    this.#name = this.#reader.at;
  }

  /** How many bytes the row has. */
  get bytes(): number {
    return this.#reader.length;
  }

  get traceId(): string {
    return uuidOf(this.key.subarray(8));
  }

  get startedAt(): Instant {
    return instantOf(this.key);
  }

  get status(): TraceStatus {
    return traceStatuses[this.#first % statusCount] ?? "COMPLETED";
  }

  get endedAt(): Instant | null {
    return instantAtDistance(this.key, this.#distance);
  }

  get name(): string {
    return this.#textAt(this.#name) ?? "";
  }

  get userId(): string | null {
    return this.#textAt(this.#found().userId);
  }

  get sessionId(): string | null {
    return this.#textAt(this.#found().sessionId);
  }

  get tags(): readonly string[] {
    this.#reader.at = this.#found().tags;
    return readList(this.#reader, () => readText(this.#reader) ?? "");
  }

  get environment(): string | null {
    return this.rest.environment;
  }

  get release(): string | null {
    return this.rest.release;
  }

  get spanCount(): number {
    return this.rest.spanCount;
  }

  get firstSpanAt(): Instant | null {
    return instantAtDistance(this.key, this.rest.firstSpan);
  }

  get lastSpanAt(): Instant | null {
    return instantAtDistance(this.key, this.rest.lastSpan);
  }

  get totalTokens(): number {
    return this.rest.totalTokens;
  }

  get totalCost(): number {
    return this.rest.totalCost;
  }

  /** See `TraceRow`. */
  get contributions(): readonly Contribution[] | null {
    return this.rest.contributions;
  }

  get arrivedAt(): number {
    return this.rest.arrivedAt;
  }

  get changedAt(): number {
    return this.rest.changedAt;
  }

  get facts(): RowFacts | null {
    return factsFromFields(this.#fields());
  }

  /** Without a detour over texts where the end is near. */
  get latency(): number | null {
    if (typeof this.#distance !== "number") return latencyOf(this.startedAt, this.#distance);
    return this.#distance < 0 ? null : this.#distance / 1000;
  }

  /** All that follows the fields above, unpacked at once. */
  get rest(): Rest {
    this.#rest ??= this.#readRest();
    return this.#rest;
  }

  /** See `TraceRow`. */
  get late(): LateKnowledge | null {
    return readLate(this.#fields(), this.startedAt, this.rest.pieces.length);
  }

  /** The fields behind the row's end, see `readTail`. */
  #fields(): ReadonlyMap<number, Uint8Array> {
    this.#reader.at = this.rest.tail;
    return readTail(this.#reader);
  }

  #textAt(place: number): string | null {
    this.#reader.at = place;
    return readText(this.#reader);
  }

  #found(): Places {
    this.#places ??= this.#find();
    return this.#places;
  }

  #find(): Places {
    const reader = this.#reader;
    reader.at = this.#name;
    skipText(reader);
    const userId = reader.at;
    skipText(reader);
    const sessionId = reader.at;
    skipText(reader);
    const tags = reader.at;
    for (let left = reader.whole(); left > 0; left -= 1) skipText(reader);
    return { userId, sessionId, tags, rest: reader.at };
  }

  #readRest(): Rest {
    const reader = this.#reader;
    reader.at = this.#found().rest;
    const [environment, release, spanCount] = [readText(reader), readText(reader), reader.whole()];
    const [firstSpan, lastSpan] = [readDistance(reader), readDistance(reader)];
    const arrivedAt = epochAt(this.key) + readSigned(reader);
    const changedAt = arrivedAt + reader.whole();
    const usage = readUsage(reader, this.startedAt);
    const pieces = readList(reader, () => ({ id: readText(reader), parts: reader.whole() }));
    return {
      environment,
      release,
      spanCount,
      firstSpan,
      lastSpan,
      arrivedAt,
      changedAt,
      ...usage,
      pieces,
      tail: reader.at,
    };
  }
}
