import {
  derivedKeys,
  type Derivation,
  type SettingSpan,
  type SourceSpan,
} from "../../domain/traces/derivation/derivation.ts";
import { labelKeys, type LabelKey } from "../../domain/traces/telemetry.ts";
import type { Instant } from "../../domain/instant.ts";
import type { SpanIdFilters, AppendState, PieceMergeState } from "../../domain/traces/row.ts";
import { instantAtDistance, instantBytes, readDistance, writeInstantFrom } from "../../dynamo/bytes/instant.ts";
import { ByteReader } from "../../dynamo/bytes/reader.ts";
import { readText, writeText } from "../../dynamo/bytes/text.ts";
import { byteWriter, type ByteWriter } from "../../dynamo/bytes/writer.ts";
import { tailFields } from "./tail-fields.ts";

const bytesOf = (write: (writer: ByteWriter) => void): Buffer => {
  const writer = byteWriter();
  write(writer);
  return writer.finish();
};

const writeList = <Item>(writer: ByteWriter, items: Iterable<Item>, write: (item: Item) => void): void => {
  const array = [...items];
  writer.whole(array.length);
  array.forEach(write);
};

const readList = <Item>(reader: ByteReader, readItem: () => Item): Item[] =>
  Array.from({ length: reader.whole() }, readItem);

const hashBytes = 4;

const writeSpanIdFilter = (writer: ByteWriter, { inFirstPart, filters, recent }: SpanIdFilters): void => {
  writer.byte(inFirstPart ? 1 : 0);
  writeList(writer, filters, ({ id, count }) => {
    writeText(writer, id);
    writer.whole(count);
  });
  writeList(writer, recent, (hash) => {
    const bytes = Buffer.alloc(hashBytes);
    bytes.writeUInt32BE(hash);
    writer.raw(bytes);
  });
};

const readSpanIdFilter = (reader: ByteReader, hasUsageKeys: boolean): SpanIdFilters => ({
  hasUsageKeys,
  inFirstPart: reader.byte() === 1,
  filters: readList(reader, () => ({ id: readText(reader) ?? "", count: reader.whole() })),
  recent: readList(reader, () => reader.raw(hashBytes).readUInt32BE()),
});

/**
 * Writes the merge state of each document piece as a byte: the size class (tier) in the upper bits, mergeability in the
 * lowest bit.
 */
const writeAges = (writer: ByteWriter, ages: readonly PieceMergeState[]): void =>
  ages.forEach(({ tier, isMergeable }) => writer.byte(tier * 2 + (isMergeable ? 1 : 0)));

const readAges = (reader: ByteReader): readonly PieceMergeState[] => {
  const ages: PieceMergeState[] = [];
  while (reader.at < reader.length) {
    const age = reader.byte();
    ages.push({ tier: age >> 1, isMergeable: age % 2 === 1 });
  }
  return ages;
};

const sourceKinds = { none: 0, root: 1, other: 2 } as const;

/** Writes flags as the bits of a byte, the first one in the lowest bit. */
const writeFlags = (writer: ByteWriter, flags: readonly boolean[]): void =>
  writer.byte(flags.reduce((bits, flag, bit) => bits + (flag ? 2 ** bit : 0), 0));

const readFlags = (reader: ByteReader): ((bit: number) => boolean) => {
  const bits = reader.byte();
  return (bit) => Math.floor(bits / 2 ** bit) % 2 === 1;
};

/**
 * Writes how the fields of a telemetry trace were derived from its spans, so that they can be updated when spans are
 * added.
 *
 * @param start start of the trace: instants are written as their distance from it.
 */
const writeDerivation = (writer: ByteWriter, start: Instant, derivation: Derivation): void => {
  const { tops, sources, settings, inputs, isInputDerived, derived, isPure, resources } = derivation;
  writeFlags(writer, [
    isPure,
    isInputDerived,
    inputs.isSame,
    tops !== null,
    tops?.isOpen === true,
    tops?.hasFailed === true,
    settings.name !== null,
    settings.input !== null,
  ]);
  writeFlags(
    writer,
    derivedKeys.map((key) => derived.has(key)),
  );
  if (tops !== null) {
    writeInstantFrom(writer, start, tops.at);
    writeInstantFrom(writer, start, tops.endedAt);
    writeList(writer, tops.callers, (id) => writeText(writer, id));
  }
  for (const source of labelKeys.map((key) => sources[key])) {
    writer.byte(source === null ? sourceKinds.none : source === "root" ? sourceKinds.root : sourceKinds.other);
    if (source !== null && source !== "root") writeInstantFrom(writer, start, source);
  }
  for (const setting of [settings.name, settings.input].filter((each) => each !== null)) {
    writeInstantFrom(writer, start, setting.started_at);
    writeInstantFrom(writer, start, setting.ended_at);
  }
  writeInstantFrom(writer, start, inputs.head);
  writeInstantFrom(writer, start, inputs.conversation);
  writeList(writer, resources, ([key, hash]) => {
    writeText(writer, key);
    writeText(writer, hash);
  });
  // The bytes of flags are full: the last byte is absent without this one.
  if (tops?.hasInconclusive === true) writer.byte(1);
};

const readDerivation = (reader: ByteReader, start: Instant): Derivation => {
  const base = instantBytes(start);
  const instant = (): Instant | null => instantAtDistance(base, readDistance(reader));
  const [flags, derived] = [readFlags(reader), readFlags(reader)];
  const tops = flags(3)
    ? {
        at: instant() ?? start,
        endedAt: instant(),
        callers: new Set(readList(reader, () => readText(reader) ?? "")),
        isOpen: flags(4),
        hasFailed: flags(5),
      }
    : null;
  const readSource = (): SourceSpan => {
    const sourceKind = reader.byte();
    return sourceKind === sourceKinds.none ? null : sourceKind === sourceKinds.root ? "root" : instant();
  };
  const sources: Record<LabelKey, SourceSpan> = {
    session_id: null,
    user_id: null,
    environment: null,
    release: null,
  };
  for (const key of labelKeys) sources[key] = readSource();
  const readSetting = (): SettingSpan => ({ started_at: instant() ?? start, ended_at: instant() });
  return {
    isPure: flags(0),
    isInputDerived: flags(1),
    derived: new Set(derivedKeys.filter((_, bit) => derived(bit))),
    sources,
    settings: { name: flags(6) ? readSetting() : null, input: flags(7) ? readSetting() : null },
    inputs: { head: instant(), conversation: instant(), isSame: flags(2) },
    resources: new Map(readList(reader, () => [readText(reader) ?? "", readText(reader) ?? ""])),
    tops: tops === null ? null : { ...tops, hasInconclusive: reader.at < reader.length },
  };
};

/**
 * Encodes a row's append state as fields for the tail of the packed row. With the append state, spans are added to a
 * trace without reading its document.
 */
export const appendStateFields = (
  start: Instant,
  { mergedAt, facts, spanIds, ages }: AppendState,
): readonly [number, Buffer][] => {
  const { derivation } = facts;
  return [
    [
      tailFields.facts,
      bytesOf((writer) => {
        writer.byte(facts.isExact ? 1 : 0);
        writer.whole(facts.bytes);
        writer.whole(facts.inputOutputBytes);
        writer.whole(mergedAt);
        writer.whole(facts.keys);
      }),
    ],
    [
      spanIds.hasUsageKeys ? tailFields.usageSpanIds : tailFields.spanIds,
      bytesOf((writer) => writeSpanIdFilter(writer, spanIds)),
    ],
    [tailFields.ages, bytesOf((writer) => writeAges(writer, ages))],
    ...(derivation === null
      ? []
      : [[tailFields.derivation, bytesOf((writer) => writeDerivation(writer, start, derivation))] as [number, Buffer]]),
  ];
};

/**
 * Reads the append state from the tail fields of a packed row.
 *
 * @param pieces number of document pieces that the row names.
 * @returns null if the row has no append state, or one for another number of pieces.
 */
export const readAppendState = (
  tail: ReadonlyMap<number, Uint8Array>,
  start: Instant,
  pieces: number,
): AppendState | null => {
  const hasUsageKeys = tail.has(tailFields.usageSpanIds);
  const [facts, spanIds, ages, derivation] = [
    tailFields.facts,
    hasUsageKeys ? tailFields.usageSpanIds : tailFields.spanIds,
    tailFields.ages,
    tailFields.derivation,
  ].map((field) => {
    const bytes = tail.get(field);
    return bytes === undefined ? undefined : new ByteReader(bytes);
  });
  if (facts === undefined || spanIds === undefined || ages === undefined) return null;
  const pieceAges = readAges(ages);
  if (pieceAges.length !== pieces) return null;
  const [isExact, bytes, inputOutputBytes, mergedAt] = [
    facts.byte() === 1,
    facts.whole(),
    facts.whole(),
    facts.whole(),
  ];
  return {
    facts: {
      isExact,
      bytes,
      inputOutputBytes,
      keys: facts.whole(),
      derivation: derivation === undefined ? null : readDerivation(derivation, start),
    },
    mergedAt,
    spanIds: readSpanIdFilter(spanIds, hasUsageKeys),
    ages: pieceAges,
  };
};
