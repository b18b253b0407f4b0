import type { APIGatewayProxyEvent } from "aws-lambda";
import { invalid } from "../domain/refusal.ts";
import { usualUuid, writtenUuid } from "../domain/uuid.ts";
import { headerValues } from "./event.ts";

/** A header's only value without the blanks around it; null when there is none. @throws Refusal `invalid` when there are two. */
export const optionalHeader = (event: APIGatewayProxyEvent, name: string): string | null => {
  const sent = new Set(headerValues(event, name).map((value) => value.trim()));
  const [value, ...others] = [...sent].filter((each) => each !== "");
  if (others.length > 0) throw invalid(["header", name], "Header should be given once", "header_invalid");
  return value ?? null;
};

/** The UUID that a header holds, in lower case. @throws Refusal `invalid` when it holds another thing. */
export const uuidIn = (name: string, value: string): string => {
  if (!writtenUuid.test(value)) throw invalid(["header", name], "Input should be a valid UUID", "uuid_parsing");
  return usualUuid(value);
};
