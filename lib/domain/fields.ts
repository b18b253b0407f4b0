import type { JsonObject } from "./json.ts";

/** Kinds of values with their limits, and the value of a resource that was created or stored without the field. */
type Kind =
  /** A name is text of one line without hidden characters, as people see it in lists. */
  | { readonly kind: "text" | "name"; readonly max: number; readonly default?: string | null }
  | { readonly kind: "one_of"; readonly values: readonly string[]; readonly default?: string | null }
  | {
      readonly kind: "number" | "integer";
      readonly min: number;
      readonly max: number;
      readonly default?: number | null;
    }
  | { readonly kind: "boolean"; readonly default?: boolean }
  /** Free-form JSON object. */
  | { readonly kind: "object"; readonly default?: JsonObject }
  /** List of texts. */
  | { readonly kind: "texts"; readonly max: number; readonly default?: readonly string[] }
  /** Numbers by name. */
  | { readonly kind: "numbers"; readonly default?: Readonly<Record<string, number>> }
  /** Object with fields of its own. */
  | { readonly kind: "group"; readonly fields: Fields; readonly default?: object };

/** Type of the values of each kind. */
interface ValueOfKind {
  readonly text: string;
  readonly name: string;
  readonly one_of: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly object: JsonObject;
  readonly texts: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
  readonly group: object;
}

/** One setting of a resource, from which its request, reply, stored form and field of the console follow. */
export type Field = Kind & {
  /** True if the value can be null, which is the default unless another one is named. */
  readonly nullable?: true;
  /** True if a rule of the domain computes the value of a new resource without the field. */
  readonly computed?: true;
  /** What null does in an update of a field that cannot be null: it is refused if absent. */
  readonly nullInUpdate?: "resets" | "keeps";
  /** Name in the store; the field's own if absent. */
  readonly stored?: string;
};

/** Settings of a resource by their names in the API, in the order of its documentation. */
export interface Fields {
  readonly [name: string]: Field;
}

/** A choice has its values and a group its fields; all others have the type of their kind. */
export type ValueOf<F extends Field> =
  | (F extends { readonly kind: "one_of" }
      ? F["values"][number]
      : F extends { readonly kind: "group" }
        ? ValuesOf<F["fields"]>
        : ValueOfKind[F["kind"]])
  | (F extends { readonly nullable: true } ? null : never);

/** Values of a resource's fields, in the API's spelling. */
export type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

/** Changes to a resource: those that are absent or undefined keep their values. */
export type ChangesOf<F extends Fields> = { readonly [Name in keyof F]?: ValueOf<F[Name]> | undefined };

/** Names of the fields that have a default. */
type OptionalNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly default: unknown } | { readonly nullable: true } ? Name : never;
}[keyof F];

/** Returns an object with a member for each field, unless it is undefined; the caller states its type. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the type that the caller states.
export const forEachField = <F extends Fields, Members extends object>(
  fields: F,
  memberOf: (field: Field, name: keyof F & string) => unknown,
): Members => {
  const members = Object.entries(fields).map(([name, field]) => [name, memberOf(field, name)] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the type of the caller has.
  return Object.fromEntries(members.filter(([, member]) => member !== undefined)) as Members;
};

/** Returns the default of a field; undefined if it has none. */
export const defaultOf = ({ default: value, nullable }: Field): unknown =>
  value === undefined && nullable ? null : value;

/** Returns the defaults of a resource's fields, of those that have one. */
export const defaultsOf = <F extends Fields>(fields: F): Pick<ValuesOf<F>, OptionalNames<F>> =>
  forEachField(fields, defaultOf);

const isObject = (value: unknown): value is { readonly [name: string]: never } =>
  typeof value === "object" && value !== null;

/** Returns the values of a resource's fields, without what a later version has stored beside them. */
export const valuesOfFields = <F extends Fields>(fields: F, values: ValuesOf<F>): ValuesOf<F> =>
  forEachField(fields, (field, name) => {
    const value = values[name];
    return field.kind === "group" && isObject(value) ? valuesOfFields(field.fields, value) : value;
  });

type Defined<Values> = { readonly [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** Returns a copy of an object without the keys whose value is undefined. */
export const definedFields = <Values extends object>(values: Values): Defined<Values> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undefined values are filtered out.
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<Values>;
