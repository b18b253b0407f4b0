import * as v from "valibot";
import { arrayOf } from "../schema/fields.ts";
import { describedAs } from "../schema/json-schema.ts";

/** Media type of OTLP's protobuf encoding; the API gateway is configured to treat it as binary. */
export const protobufType = "application/x-protobuf";

/** Advice for exporters that send OTLP over gRPC. */
export const noGrpc = "gRPC is not supported: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf.";

/**
 * Schema of a 64-bit integer, sent as text or as a number; a number that a double cannot represent exactly becomes
 * text.
 */
export const int64 = v.nullish(
  v.pipe(
    v.unknown(),
    v.transform((value) => (JSON.isRawJSON(value) ? value.rawJSON : value)),
    describedAs({ type: ["string", "number"] }),
    v.union([v.string(), v.number()]),
  ),
);

/** Schema of an OTLP message. Refuses arrays, which valibot's `object` accepts if no field is required. */
export const message = <const Fields extends v.ObjectEntries>(fields: Fields) =>
  v.pipe(
    v.custom<object>((value) => !Array.isArray(value), "Input should be a valid dictionary"),
    v.object(fields, "Input should be a valid dictionary"),
  );

/** Schema of a text field of an OTLP message; empty if absent. */
export const optionalText = v.nullish(v.string(), "");

/** Schema of a repeated field of a message; an empty list if absent. */
export const repeated = <const Item extends v.GenericSchema>(item: Item) => v.nullish(arrayOf(item), []);

/** Schema of an OTLP `AnyValue`, of any depth. */
export const otlpValue = v.pipe(v.unknown(), describedAs({}));

/** Schema of a field with an OTLP `AnyValue`. */
export const attributeValue = v.optional(otlpValue);

/** Schema of the attributes of an OTLP message. */
export const attributes = repeated(message({ key: optionalText, value: attributeValue }));

/** Schema of an OTLP instrumentation scope. */
export const scope = v.nullish(message({ name: optionalText, version: optionalText, attributes }));

/** Schema of an OTLP resource. */
export const resource = v.nullish(message({ attributes }));
