import type { ReadPage } from "../../all-pages.ts";
import type { FileRow } from "./row-file.ts";

/** Returns the exact figure of a cell, its title, or else its text without signs that only decorate it. */
const figureOf = (cell: HTMLTableCellElement): string => {
  if (cell.title !== "") return cell.title;
  const copy = cell.cloneNode(true);
  if (copy instanceof Element) for (const sign of copy.querySelectorAll("[aria-hidden=true]")) sign.remove();
  return (copy.textContent ?? "").trim();
};

/** Returns the rows of a displayed table, by the texts of its heads; without rows of notes, which are one cell. */
export const pageOfTable = (table: HTMLTableElement | null): ReadPage<FileRow> => {
  const heads = [...(table?.tHead?.rows[0]?.cells ?? [])].map(figureOf);
  const rows = Array.from(table?.tBodies ?? []).flatMap(({ rows: ofBody }) => Array.from(ofBody));
  const items = rows
    .filter(({ cells }) => cells.length === heads.length)
    .map(({ cells }) => Object.fromEntries([...cells].map((cell, at) => [heads[at], figureOf(cell)])));
  return { items, total: items.length, next_cursor: null };
};
