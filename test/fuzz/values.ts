import { safeParse } from "valibot";
import type { Random } from "../support/random.ts";
import { textOf } from "./free-values.ts";
import type { Wrong } from "./known-schemas.ts";
import { Literal, type Sendable } from "./sendable.ts";
import type { Shape, Slot } from "./shape.ts";

type Path = readonly (string | number)[];
type Fields = { readonly [key: string]: Sendable };

/** The smallest accepted value; with a path, the given value is put there. */
export const simplest = ({ shape }: Slot, path: Path = [], value: Sendable = null): Sendable => {
  const [head, ...remainingPath] = path;
  if (path.length === 0 || head === undefined) return minimalValue(shape);
  if (shape.kind === "object") {
    const slot = shape.fields[head];
    const inside = slot === undefined || remainingPath.length === 0 ? value : simplest(slot, remainingPath, value);
    return { ...(minimalValue(shape) as Fields), [head]: inside };
  }
  if (shape.kind === "list" || shape.kind === "map") {
    const inner = shape.kind === "list" ? shape.item : shape.value;
    const inside = remainingPath.length === 0 ? value : simplest(inner, remainingPath, value);
    return shape.kind === "map"
      ? { [head]: inside }
      : [inside, ...Array.from({ length: Math.max(0, shape.min - 1) }, () => simplest(inner))];
  }
  throw new Error(`There is no ${path.join(".")} in a ${shape.kind}.`);
};

const minimalValue = (shape: Shape): Sendable => {
  switch (shape.kind) {
    case "known":
      return shape.knownValues.simplest;
    case "object":
      return Object.fromEntries(
        Object.entries(shape.fields)
          .filter(([, { mayBeAbsent }]) => !mayBeAbsent)
          .map(([name, slot]) => [name, simplest(slot)]),
      );
    case "map":
      return {};
    case "list":
      return Array.from({ length: shape.min }, () => simplest(shape.item));
    case "either":
      return shape.options[0] === undefined ? null : simplest(shape.options[0]);
    case "text":
      return "x".repeat(Math.max(1, shape.min)).slice(0, shape.max);
    case "choice":
      return shape.options[0] ?? null;
    case "number":
      return Number.isFinite(shape.min) ? shape.min : 0;
    case "numeral":
      return String(Math.max(shape.min, 0));
    case "boolean":
      return true;
    default:
      return shape satisfies never;
  }
};

const mostText = 3_000;
const mostItems = 3;

const numberWithin = (random: Random, { min, max, isInteger }: Shape & { kind: "number" }): number => {
  const [low, high] = [Math.max(min, -1e6), Math.min(max, 1e6)];
  const selectedNumber = random.pick([low, high, low + (high - low) * random.next(), (low + high) / 2]);
  return isInteger ? Math.min(high, Math.max(low, Math.round(selectedNumber))) : selectedNumber;
};

/** A random accepted value, with a preference for bounds. */
export const valid = (slot: Slot, random: Random): Sendable => {
  const { shape } = slot;
  if (slot.mayBeNull && random.chance(0.15)) return null;
  switch (shape.kind) {
    case "known":
      return shape.knownValues.valid(random);
    case "object":
      return Object.fromEntries([
        ...Object.entries(shape.fields)
          .filter(([, { mayBeAbsent }]) => !mayBeAbsent || random.chance(0.5))
          .map(([name, field]) => [name, valid(field, random)] as const),
        ...(shape.strict || random.chance(0.8) ? [] : [["unheard_of", { created_at: 1, project_id: "x" }] as const]),
      ]);
    case "map":
      return Object.fromEntries(
        Array.from({ length: random.below(mostItems) }, (_, index) => [`key${index}`, valid(shape.value, random)]),
      );
    case "list": {
      const maxItems = Math.min(shape.max, Math.max(shape.min, mostItems));
      if (shape.max <= 1000 && random.chance(0.03))
        return Array.from({ length: shape.max }, () => simplest(shape.item));
      return Array.from({ length: random.between(shape.min, maxItems) }, () => valid(shape.item, random));
    }
    case "either":
      return shape.options.length === 0
        ? null
        : valid(random.pick(shape.options as readonly [Slot, ...Slot[]]), random);
    case "text": {
      const maxLength = Math.min(shape.max, mostText);
      return textOf(
        random,
        random.pick([shape.min, maxLength, random.between(shape.min, Math.min(maxLength, shape.min + 20))]),
      );
    }
    case "choice":
      return random.pick(shape.options as readonly [string, ...string[]]);
    case "number":
      return numberWithin(random, shape);
    case "numeral":
      return String(
        random.pick([shape.min, shape.max, random.between(shape.min, Math.min(shape.max, shape.min + 100))]),
      );
    case "boolean":
      return random.chance(0.5);
    default:
      return shape satisfies never;
  }
};

const wrongValue = (description: string, value: Sendable, at: Path | null = []): Wrong => ({ description, value, at });

const otherTypes: Readonly<Record<string, readonly Sendable[]>> = {
  text: [1, true, {}, [], ["x"]],
  choice: [1.5, true, {}, [], ["x"]],
  object: [1, true, "x", "{}", []],
  map: [1, true, "x", []],
  list: [1, true, "x", {}, { 0: "x", length: 1 }],
  number: [true, {}, [], "1", "x", ""],
  boolean: [1, 0, {}, [], "true", ""],
};

/** Values that no field accepts: neither JSON nor valid numbers or texts. */
const never: readonly Wrong[] = [
  ...["NaN", "Infinity", "-Infinity", "undefined", "01", "'x'", "1e400", "-1e400"].map((text) =>
    wrongValue(`the literal ${text}`, new Literal(text), null),
  ),
  wrongValue("half a character", "x\ud800"),
  wrongValue("the other half of a character", "\udc00x"),
];

const wordsUnlike = (options: readonly (string | number | boolean)[]): readonly Wrong[] => {
  const [first = ""] = options;
  const word = String(first);
  return ["", `${word} `, ` ${word}`, word.toLowerCase(), word.toUpperCase(), `${word}\0`, "__proto__", "nonsense"]
    .filter((each) => !options.includes(each))
    .map((each) => wrongValue(`not one of its words: ${JSON.stringify(each)}`, each));
};

const numbersBeyond = ({ min, max, isInteger }: Shape & { kind: "number" }): readonly Wrong[] => [
  ...(Number.isFinite(min)
    ? [min - 1, min - 1e-9, -1e308].filter((each) => each < min).map((each) => wrongValue(`too small: ${each}`, each))
    : []),
  ...(Number.isFinite(max)
    ? [max + 1, max + 1e-9, 1e308].filter((each) => each > max).map((each) => wrongValue(`too large: ${each}`, each))
    : []),
  ...(isInteger ? [wrongValue("not whole", 1.5)] : []),
];

const below = (key: string | number, wrong: Wrong, value: Sendable): Wrong => ({
  ...wrong,
  value,
  at: wrong.at === null ? null : [key, ...wrong.at],
});

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

const wrongField = (base: Fields, name: string, field: Slot): readonly Wrong[] => {
  const violations = wrong(field).map((each) => below(name, each, { ...base, [name]: each.value }));
  return field.mayBeAbsent ? violations : [...violations, wrongValue("missing", without(base, name), [name])];
};

/** Values that a field's shape refuses, other than null. */
const wrongShapes = (slot: Slot): readonly Wrong[] => {
  const { shape } = slot;
  switch (shape.kind) {
    case "known":
      return shape.knownValues.wrong;
    case "object": {
      const base = simplest(slot) as Fields;
      return [
        ...Object.entries(shape.fields).flatMap(([name, field]) => wrongField(base, name, field)),
        ...(shape.strict ? [wrongValue("a key more", { ...base, unheard_of: null }, ["unheard_of"])] : []),
      ];
    }
    case "map":
      return wrong(shape.value).map((each) => below("key", each, { key: each.value }));
    case "list": {
      const otherItems = Array.from({ length: Math.max(0, shape.min - 1) }, () => simplest(shape.item));
      return [
        ...wrong(shape.item).map((each) => below(0, each, [each.value, ...otherItems])),
        ...(shape.min > 0 ? [wrongValue("too short", otherItems)] : []),
        ...(shape.max <= 10_000
          ? [
              wrongValue(
                "too long",
                Array.from({ length: shape.max + 1 }, () => simplest(shape.item)),
              ),
            ]
          : []),
      ];
    }
    case "either":
      return shape.options
        .flatMap((option) => wrong(option))
        .filter(({ value, at }) => at !== null && !safeParse(shape.schema, value).success)
        .map(({ description, value }) => wrongValue(description, value));
    case "text":
      return [
        ...(shape.min > 0 ? [wrongValue("too short", "x".repeat(shape.min - 1))] : []),
        ...(Number.isFinite(shape.max)
          ? [wrongValue("too long", "x".repeat(shape.max + 1)), wrongValue("far too long", "é".repeat(100_000))]
          : []),
      ];
    case "choice":
      return wordsUnlike(shape.options);
    case "number":
      return numbersBeyond(shape);
    case "numeral":
      return [
        ...["", " ", "x", "1.5", "0x10", "1e2", "+1", "1 ", "\u0663", "null", "-", "1,2"].map((each) =>
          wrongValue(`no whole number: ${each}`, each),
        ),
        ...(shape.min > -1e12 ? [wrongValue("too small", String(shape.min - 1))] : []),
        ...(shape.max < 1e12
          ? [wrongValue("too large", String(shape.max + 1)), wrongValue("far too large", "9".repeat(40))]
          : []),
      ];
    case "boolean":
      return [];
    default:
      return shape satisfies never;
  }
};

const takesNull = ({ shape }: Slot): boolean =>
  shape.kind === "known" && (shape.knownValues.simplest === null || shape.knownValues.nullable === true);

/** All single errors in a field and below; the rest of the value is minimal. */
export const wrong = (slot: Slot): readonly Wrong[] => [
  ...(slot.mayBeNull || takesNull(slot) ? [] : [wrongValue("null", null)]),
  ...(otherTypes[slot.shape.kind] ?? []).map((value) => wrongValue(`of another type: ${JSON.stringify(value)}`, value)),
  ...wrongShapes(slot),
  ...never,
];

/** Wrong values of a parameter, which are always text. */
export const wrongTexts = (slot: Slot): readonly (Wrong & { readonly value: string })[] =>
  wrongShapes(slot).filter(
    (each): each is Wrong & { readonly value: string } => typeof each.value === "string" && each.value.length < 5_000,
  );
