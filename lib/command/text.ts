/** Characters that take two columns of a terminal. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, letter) => sum + (wide.test(letter) ? 2 : 1), 0);

/** Replaces control and format characters by spaces: a stored text must not steer the terminal that shows it. */
export const plainLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");

/** Fits a text into a number of columns: cut with an ellipsis, or filled with spaces. */
const fit = (text: string, width: number): string => {
  let [line, columns] = ["", 0];
  const isLonger = widthOf(text) > width;
  for (const letter of text) {
    if (columns + widthOf(letter) > width - (isLonger ? 1 : 0)) break;
    line += letter;
    columns += widthOf(letter);
  }
  return isLonger ? `${line}…` : line + " ".repeat(width - columns);
};

/** Returns the text of a value in a cell; nested values as JSON. */
const cellOf = (value: unknown): string =>
  plainLine(typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value));

/** Breaks a text into lines of a number of columns, each after the first with an indentation; line breaks stay. */
export const wrap = (text: string, width: number, indent = 0): string =>
  text
    .split("\n")
    .map((paragraph) => {
      const lines = [""];
      for (const word of paragraph.split(" ")) {
        const line = lines.at(-1) ?? "";
        if (line !== "" && widthOf(line) + widthOf(word) >= width - indent) lines.push(word);
        else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
      }
      return lines.join(`\n${" ".repeat(indent)}`);
    })
    .join(`\n${" ".repeat(indent)}`);

/** Formats pairs of a name and a text as two columns, the second one wrapped. */
export const definitionList = (pairs: readonly (readonly [name: string, text: string])[], width: number): string => {
  const column = Math.min(Math.max(...pairs.map(([name]) => widthOf(name)), 0) + 4, Math.floor(width / 2));
  return pairs
    .map(([name, text]) => {
      const lead = `  ${name}`;
      const gap = widthOf(lead) < column ? " ".repeat(column - widthOf(lead)) : `\n${" ".repeat(column)}`;
      return `${lead}${gap}${wrap(text, width, column)}`.trimEnd();
    })
    .join("\n");
};

/** Fields by which people know an item; they come first. */
const leading = ["trace_id", "session_id", "id", "status", "name", "value", "started_at", "created_at"];

/** Widest column, as wide as an id, and narrowest one in which a longer text is cut. */
const [maxColumn, minColumn] = [36, 10];

/**
 * Formats items as a table with the fields for which the width suffices, those by which people know an item first; fields that are
 * empty in all items, and lists and objects, are left out.
 */
export const itemTable = (items: readonly Readonly<Record<string, unknown>>[], width: number): string => {
  const rank = (name: string): number => (leading.includes(name) ? leading.indexOf(name) : leading.length);
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
    .filter((name) => items.some((item) => cellOf(item[name]) !== ""))
    .filter((name) => items.every((item) => typeof item[name] !== "object" || item[name] === null))
    .toSorted((a, b) => rank(a) - rank(b));
  let room = width;
  const columns = names.flatMap((name) => {
    const cells = [name, ...items.map((item) => cellOf(item[name]))];
    const content = Math.min(Math.max(...cells.map(widthOf)), maxColumn);
    const columnWidth = Math.min(content, room);
    if (columnWidth < Math.min(content, minColumn)) return [];
    room -= columnWidth + 2;
    return [cells.map((cell) => fit(cell, columnWidth))];
  });
  return (columns[0] ?? [])
    .map((_, row) =>
      columns
        .map((cells) => cells[row])
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};

/** Formats an object as a line for each field, cut at the width. */
export const fieldLines = (object: object, width: number): string => {
  const fields = Object.entries(object);
  const column = Math.max(...fields.map(([name]) => name.length), 0);
  return fields.map(([name, value]) => fit(`${name.padEnd(column)}  ${cellOf(value)}`, width).trimEnd()).join("\n");
};
