/** Max characters of a line; longer objects and lists are split into one line per member. */
const lineLength = 80;

const inOneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inOneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
};

/** Formats JSON for readers: in one line if it fits into 80 characters, else with one line per member. */
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
