import type { GenericSchema } from "valibot";
import type { JsonSchema } from "../schema/json-schema.ts";
import { keywordsOf } from "./keywords.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import { isPart, partOf, partsOf, type Direction, type Part } from "../schema/schema-part.ts";

const optionalTypes = new Set(["optional", "exact_optional", "nullish", "undefinedable"]);

/** Valibot transformations that convert a text to another text and do not change its JSON Schema type. */
const textToText = /^(?:to_lower_case|to_upper_case|trim|trim_start|trim_end|normalize)$/u;

const nullable = (schema: JsonSchema): JsonSchema => {
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

/** Converts valibot schemas to JSON Schema, either for requests or for replies. */
class Converter {
  readonly #direction: Direction;
  readonly #registry: SchemaRegistry;

  constructor(direction: Direction, registry: SchemaRegistry) {
    this.#direction = direction;
    this.#registry = registry;
  }

  /** Converts a schema and its pipe. @param place location of the schema, for error messages. */
  convert(schema: Part, place: string): JsonSchema {
    const parts = partsOf(schema);
    const metadataOf = (type: string): Part | undefined =>
      parts.findLast((part) => part.kind === "metadata" && part.type === type);
    const convertParts = (): JsonSchema => {
      const { description } = metadataOf("description") ?? {};
      const { examples } = metadataOf("examples") ?? {};
      return {
        ...this.#pipe(parts, place),
        ...(description === undefined ? {} : { description }),
        ...(examples === undefined ? {} : { examples }),
      };
    };
    const isPage = parts.some(({ metadata }) => metadata?.page === true);
    const title = metadataOf("title")?.title ?? (isPage ? this.#pageTitle(parts) : undefined);
    const convertSchema = isPage ? () => this.#page(convertParts()) : convertParts;
    return title === undefined ? convertSchema() : this.#registry.refer(title, convertSchema);
  }

  #pipe(parts: readonly Part[], place: string): JsonSchema {
    let current: JsonSchema | null = null;
    let transformed = false;
    let prose: string | undefined;
    for (const part of parts) {
      const declaredSchema: JsonSchema | undefined = part.metadata?.jsonSchema?.[this.#direction];
      const documentedSchema = part.metadata?.documentedAs;
      if (declaredSchema !== undefined) {
        [current, transformed] = [declaredSchema, false];
      } else if (documentedSchema !== undefined) {
        current = this.convert(documentedSchema, place);
      } else if (part.kind === "schema") {
        const followsCode: boolean = transformed && this.#direction === "input";
        if (!followsCode) current = this.#schema(part, place, current);
      } else if (part.kind === "transformation") {
        transformed = true;
        if (this.#direction === "output") current = textToText.test(part.type) ? { type: "string" } : null;
        else if (acceptsAnything(parts)) current = null;
      } else if (part.kind === "validation" && current !== null && !(transformed && this.#direction === "input")) {
        const keywords = keywordsOf(part, current.type);
        if (keywords !== null) current = Object.assign({}, current, keywords);
        else if (part.type === "regex") current = null;
        else if (part.type === "check" && typeof part.message === "string") prose = part.message;
      }
    }
    if (current === null) {
      throw new Error(
        `${place}: the JSON Schema cannot be derived from this code. Declare it with describedAs(...) at the end of its pipe.`,
      );
    }
    return prose === undefined || current.description !== undefined ? current : { ...current, description: prose };
  }

  /** Converts a schema without its pipe; null for a schema that is code, such as `custom`. */
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
        return this.#withDefault(schema, nullable(this.#within(schema.wrapped, place)));
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
    // Client generators produce invalid code for the default of a reference or a union; the description states the default instead.
    if (converted.$ref !== undefined || converted.anyOf !== undefined) return converted;
    return { ...converted, default: schema.default };
  }

  /** Merges an intersection of objects into one object, since `additionalProperties: false` of a part would forbid the other parts' fields. */
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
   * Builds the schema of a page of items with all fields inline. With an `allOf` of the general page schema, client generators would
   * declare the items as a list of any values.
   */
  #page({ properties = {}, ...page }: JsonSchema): JsonSchema {
    const any = { ...page, properties: { ...properties, items: { type: "array", items: {} } } };
    this.#registry.refer("PaginatedResponse", () => any);
    return { ...page, properties };
  }
}

/** True if a pipe starts with a schema for any value, so that the later parts define the accepted values. */
const acceptsAnything = ([first]: readonly Part[]): boolean => first?.type === "unknown" || first?.type === "any";

/**
 * Converts a valibot schema to JSON Schema 2020-12. Schemas with a title are added to the registry and replaced by a reference.
 *
 * @param place location of the schema, for error messages.
 * @throws Error if a part of the schema is code without a JSON Schema declared by `describedAs`.
 */
export const jsonSchemaOf = (
  schema: GenericSchema,
  direction: Direction,
  registry: SchemaRegistry,
  place: string,
): JsonSchema => new Converter(direction, registry).convert(partOf(schema), place);
