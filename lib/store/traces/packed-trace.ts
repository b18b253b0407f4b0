import {
  latencyOf,
  type AppendState,
  type ListedTrace,
  type PieceLocation,
  type RowFacts,
} from "../../domain/traces/row.ts";
import type { TraceEnding } from "../../domain/traces/times.ts";
import { traceStatuses, type TraceStatus } from "../../domain/traces/trace.ts";
import type { Instant } from "../../domain/instant.ts";
import { ByteReader } from "../../dynamo/bytes/reader.ts";
import type { Contribution } from "../../domain/traces/totals.ts";
import { readAppendState } from "../documents/append-state-codec.ts";
import { factsFromFields } from "./facts/facts-codec.ts";
import { tailFields } from "../documents/tail-fields.ts";
import { readTail } from "../../dynamo/bytes/reader.ts";
import { readUsage, type TraceUsage } from "./packed-contributions.ts";
import { epochAt, instantAtDistance, instantOf, readDistance, type Distance } from "../../dynamo/bytes/instant.ts";
import { readSigned } from "../../dynamo/bytes/number.ts";
import { readText, skipText, uuidOf } from "../../dynamo/bytes/text.ts";

/** Version of the packed row format, in the upper bits of the first byte; the lower two bits have the status. */
export const rowFormat = 2;
/** Number of trace statuses: as many as fit into two bits. */
export const statusCount = 4;

/** Endings by their numbers in a packed row, which has none for null. */
export const endings = ["awaited", "silence"] as const satisfies readonly TraceEnding[];

/** Byte offsets of a packed row's fields. */
interface FieldOffsets {
  readonly userId: number;
  readonly sessionId: number;
  readonly tags: number;
  readonly laterFieldsOffset: number;
}

/** Fields of a packed row that follow the fields that filters read. */
interface LaterFields extends TraceUsage {
  readonly environment: string | null;
  readonly release: string | null;
  readonly spanCount: number;
  readonly firstSpan: Distance | null;
  readonly lastSpan: Distance | null;
  readonly arrivedAt: number;
  readonly changedAt: number;
  /** Pieces of the document; a piece id of null stands for the incarnation. */
  readonly pieces: readonly (Omit<PieceLocation, "id"> & { readonly id: string | null })[];
  /** Byte offset of the tail fields, see `readTail`. */
  readonly tail: number;
}

const readList = <Item>(reader: ByteReader, readItem: () => Item): Item[] =>
  Array.from({ length: reader.whole() }, readItem);

/**
 * A packed row that unpacks fields on access: a list reads one or two fields of a hundred thousand rows, and all
 * fields of fifty.
 */
export class PackedTrace implements ListedTrace {
  /** Sort key of the row; keys sort by start, then by trace id. */
  readonly key: Buffer;
  /** Incarnation of the trace; null if the query did not read it. */
  readonly incarnation: string | null;
  readonly #reader: ByteReader;
  readonly #first: number;
  /** Byte offset of the trace's name, which follows its end time. */
  readonly #name: number;
  readonly #distance: Distance | null;
  #offsets: FieldOffsets | undefined;
  #laterFields: LaterFields | undefined;

  /** @throws Error when the bytes are in another format; RangeError when they end too early. */
  constructor(key: Buffer, packed: Uint8Array, incarnation: string | null = null) {
    this.key = key;
    this.incarnation = incarnation;
    this.#reader = new ByteReader(packed);
    this.#first = this.#reader.byte();
    if (Math.floor(this.#first / statusCount) !== rowFormat) {
      throw new Error("The row has an unknown packed format.");
    }
    this.#distance = readDistance(this.#reader);
    this.#name = this.#reader.at;
  }

  /** Size of the packed row in bytes. */
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
    return this.#textAt(this.#fieldOffsets().userId);
  }

  get sessionId(): string | null {
    return this.#textAt(this.#fieldOffsets().sessionId);
  }

  get tags(): readonly string[] {
    this.#reader.at = this.#fieldOffsets().tags;
    return readList(this.#reader, () => readText(this.#reader) ?? "");
  }

  get environment(): string | null {
    return this.laterFields.environment;
  }

  get release(): string | null {
    return this.laterFields.release;
  }

  get spanCount(): number {
    return this.laterFields.spanCount;
  }

  get firstSpanAt(): Instant | null {
    return instantAtDistance(this.key, this.laterFields.firstSpan);
  }

  get lastSpanAt(): Instant | null {
    return instantAtDistance(this.key, this.laterFields.lastSpan);
  }

  get totalTokens(): number {
    return this.laterFields.totalTokens;
  }

  get totalCost(): number {
    return this.laterFields.totalCost;
  }

  get contributions(): readonly Contribution[] | null {
    return this.laterFields.contributions;
  }

  get arrivedAt(): number {
    return this.laterFields.arrivedAt;
  }

  get changedAt(): number {
    return this.laterFields.changedAt;
  }

  get ending(): TraceEnding {
    const number = this.#tailFields().get(tailFields.ending)?.[0];
    return number === undefined ? null : (endings[number] ?? null);
  }

  get facts(): RowFacts | null {
    return factsFromFields(this.#tailFields());
  }

  /** Latency: computed without formatting instants, if the end is stored as its distance from the start. */
  get latency(): number | null {
    if (typeof this.#distance !== "number") return latencyOf(this.startedAt, this.#distance);
    return this.#distance < 0 ? null : this.#distance / 1000;
  }

  /** The fields that follow the fields that filters read, unpacked together on first access. */
  get laterFields(): LaterFields {
    this.#laterFields ??= this.#readLaterFields();
    return this.#laterFields;
  }

  get appendState(): AppendState | null {
    return readAppendState(this.#tailFields(), this.startedAt, this.laterFields.pieces.length);
  }

  /** Reads the fields in the tail of the row, see `readTail`. */
  #tailFields(): ReadonlyMap<number, Uint8Array> {
    this.#reader.at = this.laterFields.tail;
    return readTail(this.#reader);
  }

  #textAt(place: number): string | null {
    this.#reader.at = place;
    return readText(this.#reader);
  }

  #fieldOffsets(): FieldOffsets {
    this.#offsets ??= this.#findFieldOffsets();
    return this.#offsets;
  }

  #findFieldOffsets(): FieldOffsets {
    const reader = this.#reader;
    reader.at = this.#name;
    skipText(reader);
    const userId = reader.at;
    skipText(reader);
    const sessionId = reader.at;
    skipText(reader);
    const tags = reader.at;
    for (let tagsLeft = reader.whole(); tagsLeft > 0; tagsLeft -= 1) skipText(reader);
    return { userId, sessionId, tags, laterFieldsOffset: reader.at };
  }

  #readLaterFields(): LaterFields {
    const reader = this.#reader;
    reader.at = this.#fieldOffsets().laterFieldsOffset;
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
