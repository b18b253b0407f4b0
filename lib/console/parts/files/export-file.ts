import { count, plural } from "../../format.ts";
import { allPages, type PageReader } from "../../all-pages.ts";
import { mediaTypes, rowWriter, type FileFormat, type FileRow } from "./row-file.ts";
import { saveFile } from "./save-file.ts";

/** Most rows of a file: the browser keeps it until it is whole. */
const maxRows = 100_000;

/**
 * Saves all pages of a list as a file; those that were read, if it stops early. @returns a sentence with what the file has.
 * @throws what reading the first page throws.
 */
export const exportFile = async (
  name: string,
  format: FileFormat,
  read: PageReader<unknown>,
  signal: AbortSignal,
  onProgress: (text: string) => void,
): Promise<string> => {
  const [write, parts] = [rowWriter(format), [] as Blob[]];
  let [rows, total, reason] = [0, 0, ""];
  try {
    for await (const page of allPages(read, signal)) {
      // A blob may lie on the disk, a text takes memory.
      parts.push(new Blob([write(page.items.map((item): FileRow => Object(item)))]));
      rows += page.items.length;
      total = Math.max(total, page.total, rows);
      onProgress(`${count(rows)} of ${count(total)}`);
      if (rows >= maxRows && page.next_cursor !== null) {
        reason = `a file has at most ${maxRows.toLocaleString("en")} rows. Narrow the filters for the others.`;
        break;
      }
    }
  } catch (error) {
    if (rows === 0 && !signal.aborted) throw error;
    reason = signal.aborted ? "you stopped it." : error instanceof Error ? error.message : String(error);
  }
  if (parts.length > 0)
    saveFile(`${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-")}.${format}`, parts, mediaTypes[format]);
  return reason === ""
    ? `${plural(rows, "row")} saved.`
    : `Stopped early, after ${rows.toLocaleString("en")} of ${total.toLocaleString("en")} rows: ${reason}`;
};
