import * as v from "valibot";
import { json } from "../fields.ts";
import { inJson } from "../json-schema.ts";
import { arrayOf } from "../list-schema.ts";

/** The binary type of OTLP/HTTP; the gateway has to know it as binary. */
export const protobufType = "application/x-protobuf";

/** 64-bit numbers come as text or as numbers, of which a double may not know all digits. */
export const wide = v.nullish(
  v.pipe(
    v.unknown(),
    v.transform((value) => (JSON.isRawJSON(value) ? value.rawJSON : value)),
    inJson({ type: ["string", "number"] }),
    v.union([v.string(), v.number()]),
  ),
);

/** A message: valibot alone takes a list for one without required fields. */
export const message = <const Fields extends v.ObjectEntries>(fields: Fields) =>
  v.pipe(
    v.custom<object>((value) => !Array.isArray(value), "Input should be a valid dictionary"),
    v.object(fields, "Input should be a valid dictionary"),
  );

/** A text, empty where it was left out. */
export const string = v.nullish(v.string(), "");

/** A message's repeated field, empty where it was left out. */
export const repeated = <const Item extends v.GenericSchema>(item: Item) => v.nullish(arrayOf(item), []);

export const attributes = repeated(message({ key: string, value: v.nullish(json) }));

export const scope = v.nullish(message({ name: string, version: string, attributes }));

export const resource = v.nullish(message({ attributes }));
