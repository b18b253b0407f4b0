import { isObject, type Json, type JsonObject } from "../domain/json.ts";

/** Returns metadata of Langfuse, which may be any value, as an object: other values have the key `metadata`. */
export const metadataObject = (metadata: Json): JsonObject => (isObject(metadata) ? metadata : { metadata });
