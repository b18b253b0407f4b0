import { html, prose, type Html } from "./html.ts";

const cellsOf = (row: string): readonly string[] =>
  row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

const tableOf = (rows: readonly string[]): Html => {
  const [head = "", , ...body] = rows;
  return html` <table>
    <thead>
      <tr>
        ${cellsOf(head).map((cell) => html`<th scope="col">${prose(cell)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${body.map(
        (row) =>
          html` <tr>
            ${cellsOf(row).map((cell) => html`<td>${prose(cell)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
};

/** Renders the subset of Markdown that descriptions use: paragraphs, tables and inline code. */
export const textBlocks = (text: string): readonly Html[] =>
  text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => (block.startsWith("|") ? tableOf(block.split("\n")) : html`<p>${prose(block)}</p>`));
