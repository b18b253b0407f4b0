import { isObject, toDouble, type Json, type JsonObject } from "../../json.ts";

/** Thrown for a definition that cannot be imported; the message is a sentence, or a clause about the metric. */
export class ImportError extends Error {
  /** Completes a clause to a sentence with a subject; a sentence stays as it is. */
  about(subject: string): ImportError {
    return /^[a-z]/u.test(this.message) ? new ImportError(`${subject} cannot be imported: ${this.message}.`) : this;
  }
}

/** Objects in exports whose fields belong to the metric that contains them. */
export const wrappers = [
  "prompt_data",
  "parser",
  "function_data",
  "instructions_judge_pydantic_data",
  "builtin_scorer_pydantic_data",
  "config",
] as const;

/** Keys of the lowest score of a success. */
export const thresholdKeys = ["threshold", "pass_threshold", "passThreshold"] as const;

interface Scope {
  readonly path: string;
  readonly values: JsonObject;
  /** Keys that were read. */
  readonly readKeys: Set<string>;
}

const pathOf = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

const scopesOf = (values: JsonObject, path: string): readonly Scope[] => {
  const innerObjects = wrappers.flatMap((key) => {
    const inner = values[key];
    return isObject(inner) ? [{ key, inner }] : [];
  });
  return [
    { path, values, readKeys: new Set(innerObjects.map(({ key }) => key)) },
    ...innerObjects.flatMap(({ key, inner }) => scopesOf(inner, pathOf(path, key))),
  ];
};

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || ["", "[]", "{}"].includes(value === "" ? "" : JSON.stringify(value));

/** Fields of an exported metric. It keeps account of the fields that were read, so that the others can be named. */
export class ExportedFields {
  readonly #path: string;
  readonly #scopes: readonly Scope[];
  readonly #children: ExportedFields[] = [];

  constructor(values: JsonObject, path = "") {
    this.#path = path;
    this.#scopes = scopesOf(values, path);
  }

  /** Returns the first value under one of `keys` that `parse` accepts, and marks its field as read; else null. */
  first<T>(keys: readonly string[], parse: (value: Json, key: string) => T | null): T | null {
    for (const key of keys) {
      for (const { values } of this.#scopes) {
        const value = values[key] ?? null;
        const parsedValue = value === null ? null : parse(value, key);
        if (parsedValue === null) continue;
        const text = JSON.stringify(value);
        for (const scope of this.#scopes) if (JSON.stringify(scope.values[key]) === text) scope.readKeys.add(key);
        return parsedValue;
      }
    }
    return null;
  }

  /** True if `parse` accepts a value under one of `keys`; the field is not marked as read. */
  has(keys: readonly string[], parse: (value: Json) => unknown): boolean {
    return keys.some((key) =>
      this.#scopes.some(({ values }) => (values[key] ?? null) !== null && parse(values[key] ?? null) !== null),
    );
  }

  /** Returns the fields of a nested object; without one it is empty. */
  child(keys: readonly string[]): ExportedFields {
    const child = this.first(keys, (value, key) =>
      isObject(value) ? new ExportedFields(value, pathOf(this.#path, key)) : null,
    );
    if (child !== null) this.#children.push(child);
    return child ?? new ExportedFields({});
  }

  /** Returns the fields of each object in a list; null without a list of objects. */
  items(keys: readonly string[]): readonly ExportedFields[] | null {
    const items = this.first(keys, (value, key) =>
      Array.isArray(value) && value.length > 0 && value.every(isObject)
        ? value.filter(isObject).map((item, index) => new ExportedFields(item, pathOf(this.#path, `${key}.${index}`)))
        : null,
    );
    this.#children.push(...(items ?? []));
    return items;
  }

  /** True if a field was read. */
  hasRead(key: string): boolean {
    return this.#scopes.some(({ readKeys }) => readKeys.has(key));
  }

  /** Paths of the fields with a value that were not read. */
  unreadPaths(): readonly string[] {
    const paths = this.#scopes.flatMap(({ path, values, readKeys }) =>
      Object.keys(values)
        .filter((key) => !readKeys.has(key) && !isEmpty(values[key]))
        .map((key) => pathOf(path, key)),
    );
    return [...paths, ...this.#children.flatMap((child) => child.unreadPaths())];
  }
}

/** Returns a text that is not blank, else null. */
export const nonBlankText = (value: Json | undefined): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

/** Returns a finite number, also one written as text or as a boolean (1 or 0); else null. */
export const numberOf = (value: Json | undefined): number | null => {
  if (typeof value === "boolean") return Number(value);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : toDouble(value ?? null);
  return typeof number === "number" && Number.isFinite(number) ? number : null;
};

/** Returns true or false, else null. */
export const flagOf = (value: Json): boolean | null => (typeof value === "boolean" ? value : null);
