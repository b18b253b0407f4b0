/** Characters that a line may have before what is on it is given lines of its own. */
const lineLength = 80;

const inOneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inOneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
};

/** JSON to be read: in one line what fits there, else a line for each member. */
export const jsonLines = (value: unknown, indentation = ""): string => {
  const short = inOneLine(value);
  if (typeof value !== "object" || value === null || indentation.length + short.length <= lineLength) return short;
  const deeper = `${indentation}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const members = Array.isArray(value)
    ? value.map((member) => jsonLines(member, deeper))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${jsonLines(member, deeper)}`);
  return `${open}\n${members.map((member) => deeper + member).join(",\n")}\n${indentation}${close}`;
};
