import { followingKeys, type Derivation, type Teller } from "../../domain/traces/derivation.ts";
import { toldKeys, type ToldKey } from "../../domain/traces/telemetry.ts";
import type { Instant } from "../../domain/instant.ts";
import type { KnownMarks, LateKnowledge, PieceAge } from "../../domain/traces/row.ts";
import { instantAtDistance, instantBytes, readDistance, writeInstantFrom } from "../bytes/instant.ts";
import { ByteReader } from "../bytes/reader.ts";
import { readText, writeText } from "../bytes/text.ts";
import { byteWriter, type ByteWriter } from "../bytes/writer.ts";

/** Numbers of the fields behind a row's end. */
const fields = { facts: 1, marks: 2, ages: 3, derivation: 4 } as const;

const bytesOf = (write: (writer: ByteWriter) => void): Buffer => {
  const writer = byteWriter();
  write(writer);
  return writer.finish();
};

const list = <Item>(writer: ByteWriter, items: Iterable<Item>, write: (item: Item) => void): void => {
  const all = [...items];
  writer.whole(all.length);
  all.forEach(write);
};

const readList = <Item>(reader: ByteReader, read: () => Item): Item[] => Array.from({ length: reader.whole() }, read);

const hashBytes = 4;

const writeMarks = (writer: ByteWriter, { inFirstPart, filters, recent }: KnownMarks): void => {
  writer.byte(inFirstPart ? 1 : 0);
  list(writer, filters, ({ id, count }) => {
    writeText(writer, id);
    writer.whole(count);
  });
  list(writer, recent, (hash) => {
    const bytes = Buffer.alloc(hashBytes);
    bytes.writeUInt32BE(hash);
    writer.raw(bytes);
  });
};

const readMarks = (reader: ByteReader): KnownMarks => ({
  inFirstPart: reader.byte() === 1,
  filters: readList(reader, () => ({ id: readText(reader) ?? "", count: reader.whole() })),
  recent: readList(reader, () => reader.raw(hashBytes).readUInt32BE()),
});

/** The first bit of an age says whether the piece joins. */
const writeAges = (writer: ByteWriter, ages: readonly PieceAge[]): void =>
  ages.forEach(({ tier, joins }) => writer.byte(tier * 2 + (joins ? 1 : 0)));

const readAges = (reader: ByteReader): readonly PieceAge[] => {
  const ages: PieceAge[] = [];
  while (reader.at < reader.length) {
    const age = reader.byte();
    ages.push({ tier: age >> 1, joins: age % 2 === 1 });
  }
  return ages;
};

const roots = { none: 0, parentless: 1, called: 2 } as const;
const tellers = { nobody: 0, root: 1, other: 2 } as const;

/** @param start of the trace: instants are written as their distance from it. */
const writeDerivation = (writer: ByteWriter, start: Instant, derivation: Derivation): void => {
  const { root, told, input, follows, isPure, resources } = derivation;
  writer.byte(isPure ? 1 : 0);
  writer.byte(followingKeys.reduce((bits, key, bit) => bits + (follows.has(key) ? 2 ** bit : 0), 0));
  writer.byte(root === null ? roots.none : root.calledFrom === null ? roots.parentless : roots.called);
  if (root !== null) {
    writeInstantFrom(writer, start, root.at);
    if (root.calledFrom !== null) writeText(writer, root.calledFrom);
  }
  writer.byte(input.follows ? 1 : 0);
  for (const teller of [...toldKeys.map((key) => told[key]), input.teller]) {
    writer.byte(teller === null ? tellers.nobody : teller === "root" ? tellers.root : tellers.other);
    if (teller !== null && teller !== "root") writeInstantFrom(writer, start, teller);
  }
  list(writer, resources, ([key, hash]) => {
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
  const told: Record<ToldKey, Teller> = {
    session_id: null,
    user_id: null,
    environment: null,
    release: null,
  };
  const inputFollows = reader.byte() === 1;
  const readTeller = (): Teller => {
    const teller = reader.byte();
    return teller === tellers.nobody ? null : teller === tellers.root ? "root" : instant();
  };
  for (const key of toldKeys) told[key] = readTeller();
  const input = { teller: readTeller(), follows: inputFollows };
  return {
    isPure,
    follows: new Set(followingKeys.filter((_, bit) => Math.floor(bits / 2 ** bit) % 2 === 1)),
    root: at === null ? null : { at, calledFrom },
    input,
    told,
    resources: new Map(readList(reader, () => [readText(reader) ?? "", readText(reader) ?? ""])),
  };
};

/** What is known for late spans, as fields behind a row's end. */
export const lateFields = (
  start: Instant,
  { mergedAt, facts, marks, ages }: LateKnowledge,
): readonly [number, Buffer][] => {
  const { derivation } = facts;
  return [
    [
      fields.facts,
      bytesOf((writer) => {
        writer.byte(facts.exact ? 1 : 0);
        writer.whole(facts.bytes);
        writer.whole(facts.edges);
        writer.whole(mergedAt);
        writer.whole(facts.keys);
      }),
    ],
    [fields.marks, bytesOf((writer) => writeMarks(writer, marks))],
    [fields.ages, bytesOf((writer) => writeAges(writer, ages))],
    ...(derivation === null
      ? []
      : [[fields.derivation, bytesOf((writer) => writeDerivation(writer, start, derivation))] as [number, Buffer]]),
  ];
};

/** What a row's fields say of it, given how many pieces the row names; null where they do not. */
export const readLate = (
  tail: ReadonlyMap<number, Uint8Array>,
  start: Instant,
  pieces: number,
): LateKnowledge | null => {
  const [facts, marks, ages, derivation] = [fields.facts, fields.marks, fields.ages, fields.derivation].map((field) => {
    const bytes = tail.get(field);
    return bytes === undefined ? undefined : new ByteReader(bytes);
  });
  if (facts === undefined || marks === undefined || ages === undefined) return null;
  const known = readAges(ages);
  if (known.length !== pieces) return null;
  const [exact, bytes, edges, mergedAt] = [facts.byte() === 1, facts.whole(), facts.whole(), facts.whole()];
  return {
    facts: {
      exact,
      bytes,
      edges,
      keys: facts.whole(),
      derivation: derivation === undefined ? null : readDerivation(derivation, start),
    },
    mergedAt,
    marks: readMarks(marks),
    ages: known,
  };
};
