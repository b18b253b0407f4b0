import { forEachField, type Field, type Fields, type ValuesOf } from "../../domain/fields.ts";
import { numberIn } from "./form-bindings.ts";

type FormValue<F extends Field> = F extends { readonly kind: "boolean" }
  ? boolean
  : F extends { readonly values: readonly (infer Value)[] }
    ? Value | (F extends { readonly nullable: true } ? "" : never)
    : string;

/** Form state of a resource's fields: numbers as typed, and empty text for null. */
export type FormOf<F extends Fields> = { readonly [Name in keyof F]: FormValue<F[Name]> };

/** Converts values to form state. */
export const formFrom = <F extends Fields>(fields: F, values: ValuesOf<F>): FormOf<F> =>
  forEachField(fields, (_, name) => {
    const value: unknown = values[name];
    return typeof value === "number" ? String(value) : (value ?? "");
  });

const valueFrom = ({ kind, nullable }: Field, typed: string | boolean): unknown => {
  if (typeof typed === "boolean") return typed;
  if (nullable && typed.trim() === "") return null;
  return kind === "number" || kind === "integer" ? numberIn(typed) : typed.trim();
};

/** Converts form state to values. Text that is no number becomes NaN, which is sent as null and rejected with the field. */
export const valuesFrom = <F extends Fields>(fields: F, form: FormOf<F>): ValuesOf<F> =>
  forEachField(fields, (field, name) => valueFrom(field, form[name] ?? ""));
