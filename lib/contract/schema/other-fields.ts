import { safeParse } from "valibot";
import { withoutKeys } from "../../domain/json.ts";
import { jsonObject } from "./fields.ts";

/** Parses the fields of an item of another product that its schema does not have, as JSON. */
export const otherFieldsOf = (item: Readonly<Record<string, unknown>>, { entries }: { readonly entries: object }) =>
  safeParse(jsonObject, withoutKeys(item, entries));
