import type { GenericSchema } from "valibot";
import type { JsonSchema } from "../json-schema.ts";
import { keywordsOf } from "./keywords.ts";
import type { NamedSchemas } from "./named-schemas.ts";
import { isPart, partOf, partsOf, type Direction, type Part } from "./schema-part.ts";

const optionalTypes = new Set(["optional", "exact_optional", "nullish", "undefinedable"]);

/** A text may be changed on its way in; it is a text before and after. */
const textToText = /^(?:to_lower_case|to_upper_case|trim|trim_start|trim_end|normalize)$/u;

const orNull = (schema: JsonSchema): JsonSchema => {
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type !== "string" || schema.const !== undefined) return { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    type: [schema.type, "null"],
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }),
  };
};

const choice = (options: readonly unknown[]): JsonSchema => ({
  ...(options.every((option) => typeof option === "string") && { type: "string" }),
  enum: options,
});

/** Converts the schemas of one document. */
class Converter {
  readonly #direction: Direction;
  readonly #named: NamedSchemas;

  constructor(direction: Direction, named: NamedSchemas) {
    this.#direction = direction;
    this.#named = named;
  }

  /** @param place where the schema stands, for the message of an error. */
  convert(schema: Part, place: string): JsonSchema {
    const parts = partsOf(schema);
    const said = (type: string): Part | undefined =>
      parts.findLast((part) => part.kind === "metadata" && part.type === type);
    const make = (): JsonSchema => {
      const { description } = said("description") ?? {};
      const { examples } = said("examples") ?? {};
      return {
        ...this.#pipe(parts, place),
        ...(description === undefined ? {} : { description }),
        ...(examples === undefined ? {} : { examples }),
      };
    };
    const isPage = parts.some(({ metadata }) => metadata?.page === true);
    const title = said("title")?.title ?? (isPage ? this.#pageTitle(parts) : undefined);
    const whole = isPage ? () => this.#page(make()) : make;
    return title === undefined ? whole() : this.#named.refer(title, whole);
  }

  #pipe(parts: readonly Part[], place: string): JsonSchema {
    let current: JsonSchema | null = null;
    let transformed = false;
    let prose: string | undefined;
    for (const part of parts) {
      const written: JsonSchema | undefined = part.metadata?.jsonSchema?.[this.#direction];
      const meant = part.metadata?.shouldBe;
      if (written !== undefined) {
        [current, transformed] = [written, false];
      } else if (meant !== undefined) {
        current = this.convert(meant, place);
      } else if (part.kind === "schema") {
        const followsCode: boolean = transformed && this.#direction === "input";
        if (!followsCode) current = this.#schema(part, place, current);
      } else if (part.kind === "transformation") {
        transformed = true;
        if (this.#direction === "output") current = textToText.test(part.type) ? { type: "string" } : null;
        else if (isOpen(parts)) current = null;
      } else if (part.kind === "validation" && current !== null && !(transformed && this.#direction === "input")) {
        const keywords = keywordsOf(part, current.type);
        if (keywords !== null) current = Object.assign({}, current, keywords);
        else if (part.type === "regex") current = null;
        else if (part.type === "check" && typeof part.message === "string") prose = part.message;
      }
    }
    if (current === null) {
      throw new Error(`${place}: what this takes or gives is code. Say it with inJson(...) at the end of its pipe.`);
    }
    return prose === undefined || current.description !== undefined ? current : { ...current, description: prose };
  }

  /** A schema without its pipe; null when it is code. */
  #schema(schema: Part, place: string, before: JsonSchema | null): JsonSchema | null {
    const { type } = schema;
    switch (type) {
      case "string":
      case "number":
      case "boolean":
      case "null":
        return { ...before, type };
      case "unknown":
      case "any":
        return {};
      case "never":
        return { not: {} };
      case "literal":
        return { const: schema.literal };
      case "picklist":
      case "enum":
        return choice(schema.options ?? []);
      case "array":
        return { type: "array", items: this.#within(schema.item, `${place}[]`) };
      case "record":
        return { type: "object", additionalProperties: this.#within(schema.value, `${place}.*`) };
      case "object":
      case "loose_object":
      case "strict_object":
      case "object_with_rest":
        return this.#object(schema, place);
      case "optional":
      case "exact_optional":
      case "undefinedable":
      case "non_optional":
        return this.#withDefault(schema, this.#within(schema.wrapped, place));
      case "nullish":
      case "nullable":
        return this.#withDefault(schema, orNull(this.#within(schema.wrapped, place)));
      case "union":
      case "variant":
        return { anyOf: this.#options(schema, place) };
      case "intersect":
        return this.#intersection(this.#options(schema, place));
      case "lazy":
        return this.#within(schema.getter?.(undefined), place);
      default:
        return null;
    }
  }

  #within(schema: Part | undefined, place: string): JsonSchema {
    if (schema === undefined) throw new Error(`${place}: this schema has no part where one is expected.`);
    return this.convert(schema, place);
  }

  #options({ options = [] }: Part, place: string): readonly JsonSchema[] {
    return options.filter(isPart).map((option) => this.convert(option, place));
  }

  #object({ type, entries = {}, rest }: Part, place: string): JsonSchema {
    const required = Object.entries(entries).filter(([, entry]) => !this.#mayBeAbsent(entry));
    return {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(entries).map(([name, entry]) => [name, this.convert(entry, `${place}.${name}`)]),
      ),
      ...(required.length > 0 && { required: required.map(([name]) => name) }),
      ...(type === "strict_object" && { additionalProperties: false }),
      ...(rest !== undefined && { additionalProperties: this.convert(rest, `${place}.*`) }),
    };
  }

  #mayBeAbsent(entry: Part): boolean {
    return optionalTypes.has(entry.type) && (this.#direction === "input" || entry.default === undefined);
  }

  #withDefault(schema: Part, converted: JsonSchema): JsonSchema {
    if (this.#direction === "output" || schema.default === undefined || typeof schema.default === "function") {
      return converted;
    }
    // Generators write the default of what is pointed to into code that does not compile; its description says it.
    if (converted.$ref !== undefined) return converted;
    return { ...converted, default: schema.default };
  }

  /** Objects become one, so that what one of them forbids knows what the others have. */
  #intersection(options: readonly JsonSchema[]): JsonSchema {
    if (options.some(({ type, $ref }) => type !== "object" || $ref !== undefined)) return { allOf: options };
    const required = options.flatMap((option) => option.required ?? []);
    return {
      ...Object.fromEntries(options.flatMap((option) => Object.entries(option))),
      properties: Object.fromEntries(options.flatMap((option) => Object.entries(option.properties ?? {}))),
      ...(required.length > 0 && { required }),
    };
  }

  #pageTitle(parts: readonly Part[]): string | undefined {
    const item = parts[0]?.entries?.["items"]?.item;
    const title = item && partsOf(item).findLast(({ type }) => type === "title")?.title;
    return title === undefined ? undefined : `${title}Page`;
  }

  /**
   * A page of one kind of item. It says all of its fields itself: generators of clients make a list of anything of what is
   * said twice, by an `allOf` of the page of anything too.
   */
  #page({ properties = {}, ...page }: JsonSchema): JsonSchema {
    const any = { ...page, properties: { ...properties, items: { type: "array", items: {} } } };
    this.#named.refer("PaginatedResponse", () => any);
    return { ...page, properties };
  }
}

/** Whether a pipe begins with anything, so that only what follows tells what it takes. */
const isOpen = ([first]: readonly Part[]): boolean => first?.type === "unknown" || first?.type === "any";

/**
 * A valibot schema as JSON Schema 2020-12. Schemas with a title go into `named` and are pointed to.
 *
 * @param place where it stands, for the message of an error.
 * @throws Error when a part of it is code that does not say with `inJson` what it takes or gives.
 */
export const jsonSchemaOf = (
  schema: GenericSchema,
  direction: Direction,
  named: NamedSchemas,
  place: string,
): JsonSchema => new Converter(direction, named).convert(partOf(schema), place);
