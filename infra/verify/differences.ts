import { isDeepStrictEqual } from "node:util";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 60);

const isSame = (name: string, sent: unknown, read: unknown): boolean =>
  name.endsWith("_at") ? Date.parse(String(sent)) === Date.parse(String(read)) : isDeepStrictEqual(sent, read);

/** Where what was read is not what was sent. What was not sent may be anything; instants may be written otherwise. */
export const differences = (sent: unknown, read: unknown, place = ""): readonly string[] => {
  if (Array.isArray(sent) && Array.isArray(read) && sent.length === read.length)
    return sent.flatMap((each, index) => differences(each, read[index], `${place}[${index}]`));
  if (isRecord(sent) && isRecord(read))
    return Object.entries(sent).flatMap(([name, value]) =>
      differences(value, read[name], place === "" ? name : `${place}.${name}`),
    );
  return isSame(place, sent, read) ? [] : [`${place} was sent as ${shown(sent)} and read as ${shown(read)}`];
};
