import { derivedKeys, type Derivation, type SourceSpan } from "../../domain/traces/derivation.ts";
import { labelKeys, type LabelKey } from "../../domain/traces/telemetry.ts";
import type { Instant } from "../../domain/instant.ts";
import type { SpanIdFilters, AppendState, PieceMergeState } from "../../domain/traces/row.ts";
import { instantAtDistance, instantBytes, readDistance, writeInstantFrom } from "../../dynamo/bytes/instant.ts";
import { ByteReader } from "../../dynamo/bytes/reader.ts";
import { readText, writeText } from "../../dynamo/bytes/text.ts";
import { byteWriter, type ByteWriter } from "../../dynamo/bytes/writer.ts";

/**
 * Numbers of the append state's fields in the tail of a packed row. Filters with the keys of usage have a field of their
 * own, so that an earlier version, which knows other keys, reads the document.
 */
const fields = { facts: 1, spanIds: 2, ages: 3, derivation: 4, usageSpanIds: 5 } as const;

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

const roots = { none: 0, parentless: 1, called: 2 } as const;
const sourceKinds = { none: 0, root: 1, other: 2 } as const;

/**
 * Writes how the fields of a telemetry trace were derived from its spans, so that they can be updated when spans are
 * added.
 *
 * @param start start of the trace: instants are written as their distance from it.
 */
const writeDerivation = (writer: ByteWriter, start: Instant, derivation: Derivation): void => {
  const { root, sources, input, derived, isPure, resources } = derivation;
  writer.byte(isPure ? 1 : 0);
  writer.byte(derivedKeys.reduce((bits, key, bit) => bits + (derived.has(key) ? 2 ** bit : 0), 0));
  writer.byte(root === null ? roots.none : root.calledFrom === null ? roots.parentless : roots.called);
  if (root !== null) {
    writeInstantFrom(writer, start, root.at);
    if (root.calledFrom !== null) writeText(writer, root.calledFrom);
  }
  writer.byte(input.isDerived ? 1 : 0);
  for (const source of [...labelKeys.map((key) => sources[key]), input.source]) {
    writer.byte(source === null ? sourceKinds.none : source === "root" ? sourceKinds.root : sourceKinds.other);
    if (source !== null && source !== "root") writeInstantFrom(writer, start, source);
  }
  writeList(writer, resources, ([key, hash]) => {
    writeText(writer, key);
    writeText(writer, hash);
  });
};

const readDerivation = (reader: ByteReader, start: Instant): Derivation => {
  const base = instantBytes(start);
  const instant = (): Instant => instantAtDistance(base, readDistance(reader)) ?? start;
  const isPure = reader.byte() === 1;
  const bits = reader.byte();
  const kind = reader.byte();
  const at = kind === roots.none ? null : instant();
  const calledFrom = kind === roots.called ? readText(reader) : null;
  const sources: Record<LabelKey, SourceSpan> = {
    session_id: null,
    user_id: null,
    environment: null,
    release: null,
  };
  const isInputDerived = reader.byte() === 1;
  const readSource = (): SourceSpan => {
    const sourceKind = reader.byte();
    return sourceKind === sourceKinds.none ? null : sourceKind === sourceKinds.root ? "root" : instant();
  };
  for (const key of labelKeys) sources[key] = readSource();
  const input = { source: readSource(), isDerived: isInputDerived };
  return {
    isPure,
    derived: new Set(derivedKeys.filter((_, bit) => Math.floor(bits / 2 ** bit) % 2 === 1)),
    root: at === null ? null : { at, calledFrom },
    input,
    sources,
    resources: new Map(readList(reader, () => [readText(reader) ?? "", readText(reader) ?? ""])),
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
      fields.facts,
      bytesOf((writer) => {
        writer.byte(facts.isExact ? 1 : 0);
        writer.whole(facts.bytes);
        writer.whole(facts.inputOutputBytes);
        writer.whole(mergedAt);
        writer.whole(facts.keys);
      }),
    ],
    [
      spanIds.hasUsageKeys ? fields.usageSpanIds : fields.spanIds,
      bytesOf((writer) => writeSpanIdFilter(writer, spanIds)),
    ],
    [fields.ages, bytesOf((writer) => writeAges(writer, ages))],
    ...(derivation === null
      ? []
      : [[fields.derivation, bytesOf((writer) => writeDerivation(writer, start, derivation))] as [number, Buffer]]),
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
  const hasUsageKeys = tail.has(fields.usageSpanIds);
  const [facts, spanIds, ages, derivation] = [
    fields.facts,
    hasUsageKeys ? fields.usageSpanIds : fields.spanIds,
    fields.ages,
    fields.derivation,
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
