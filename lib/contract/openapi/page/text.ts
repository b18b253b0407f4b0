import { html, prose, type Html } from "./html.ts";

const cellsOf = (row: string): readonly string[] =>
  row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

/** Renders a table of texts with inline code. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): Html =>
  html` <table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${prose(head)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html` <tr>
            ${cells.map((cell) => html`<td>${prose(cell)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;

const tableOf = ([head = "", , ...body]: readonly string[]): Html => table(cellsOf(head), body.map(cellsOf));

/** Renders the subset of Markdown that descriptions use: paragraphs, tables and inline code. */
export const textBlocks = (text: string): readonly Html[] =>
  text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => (block.startsWith("|") ? tableOf(block.split("\n")) : html`<p>${prose(block)}</p>`));
