import { isDeepStrictEqual } from "node:util";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const jsonExcerpt = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 60);

const isSame = (name: string, expected: unknown, actual: unknown): boolean =>
  name.endsWith("_at")
    ? Date.parse(String(expected)) === Date.parse(String(actual))
    : isDeepStrictEqual(expected, actual);

/** Lists the fields in which a stored value differs from the sent one. Fields that were not sent are ignored; instants may have another format. */
export const differences = (expected: unknown, actual: unknown, path = ""): readonly string[] => {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length)
    return expected.flatMap((each, index) => differences(each, actual[index], `${path}[${index}]`));
  if (isRecord(expected) && isRecord(actual))
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(value, actual[name], path === "" ? name : `${path}.${name}`),
    );
  return isSame(path, expected, actual)
    ? []
    : [`${path} was sent as ${jsonExcerpt(expected)} and read as ${jsonExcerpt(actual)}`];
};
