import type { APIGatewayProxyEvent } from "aws-lambda";
import { headerValues } from "./event.ts";

/** Returns the type of some that the `Accept` header of a request prefers to the usual one; null for the usual one. */
export const acceptedType = <Type extends string>(
  event: APIGatewayProxyEvent,
  types: readonly Type[],
  usual = "application/json",
): Type | null => {
  const ranges = headerValues(event, "Accept")
    .flatMap((value) => value.toLowerCase().split(","))
    .map((range) => {
      const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      return { name, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ name, quality }) => quality > 0 && [...types, usual, "*/*"].includes(name))
    .toSorted((a, b) => b.quality - a.quality);
  return types.find((type) => type === ranges[0]?.name) ?? null;
};
