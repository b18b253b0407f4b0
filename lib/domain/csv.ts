/** A CSV text that breaks RFC 4180 at a line; the message is a sentence. */
export class CsvFlaw extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

interface CsvRow {
  /** Line of the text on which the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads the rows of a CSV text (RFC 4180): commas, CRLF or LF, and quotation marks around cells that have any of them. Empty lines are
 * no rows.
 *
 * @throws CsvFlaw
 */
export const csvRows = function* (text: string): Generator<CsvRow> {
  const cellEnd = /[",\n]|\r\n/gu;
  let [at, line] = [0, 1];

  const plainCell = (): string => {
    cellEnd.lastIndex = at;
    const end = cellEnd.exec(text)?.index ?? text.length;
    if (text[end] === '"') throw new CsvFlaw(line, "A cell with a quotation mark needs quotation marks around it");
    const value = text.slice(at, end);
    at = end;
    return value;
  };

  const quotedCell = (): string => {
    let end = text.indexOf('"', at + 1);
    while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
    if (end === -1) throw new CsvFlaw(line, "The quotation marks around a cell are not closed");
    const value = text.slice(at + 1, end).replaceAll('""', '"');
    at = end + 1;
    line += value.split("\n").length - 1;
    return value;
  };

  while (at < text.length) {
    const [start, cells] = [line, [] as string[]];
    for (let hasNext = true; hasNext; at += hasNext ? 1 : 0) {
      cells.push(text[at] === '"' ? quotedCell() : plainCell());
      hasNext = text[at] === ",";
    }
    const end = text.startsWith("\r\n", at) ? at + 2 : at + 1;
    if (at < text.length && text[end - 1] !== "\n") throw new CsvFlaw(line, "A comma or a new line follows each cell");
    at = end;
    line += 1;
    if (cells.length > 1 || cells[0] !== "") yield { line: start, cells };
  }
};

/** Returns a row of a CSV text, with its CRLF. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => (/[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
