import type { APIGatewayProxyEvent } from "aws-lambda";
import { invalid } from "../domain/refusal.ts";
import { canonicalUuid, uuidPattern } from "../domain/uuid.ts";
import { headerValues } from "./event.ts";

/** Returns the single value of a header, trimmed; null when absent or empty. @throws Refusal `invalid` when values differ. */
export const optionalHeader = (event: APIGatewayProxyEvent, name: string): string | null => {
  const values = new Set(headerValues(event, name).map((value) => value.trim()));
  const [value, ...otherValues] = [...values].filter((each) => each !== "");
  if (otherValues.length > 0) throw invalid(["header", name], "Header should be given once", "header_invalid");
  return value ?? null;
};

/** Returns the UUID in a header value, in lower case. @throws Refusal `invalid` when the value is no UUID. */
export const uuidHeader = (name: string, value: string): string => {
  if (!uuidPattern.test(value)) throw invalid(["header", name], "Input should be a valid UUID", "uuid_parsing");
  return canonicalUuid(value);
};
