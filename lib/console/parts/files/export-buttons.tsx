import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useAction } from "../action.tsx";
import type { PageReader } from "../../all-pages.ts";
import { exportFile } from "./export-file.ts";
import type { FileFormat } from "./row-file.ts";
import { pageOfTable } from "./table-rows.ts";

const titles: Readonly<Record<FileFormat, string>> = { csv: "CSV", ndjson: "NDJSON" };

/** What is saved: a list of the service, read page by page, or a displayed table. */
type Source =
  | { readonly read: PageReader<unknown>; readonly table?: never }
  | { readonly read?: never; readonly table: RefObject<HTMLTableElement | null> };

/** Buttons that save a whole list or table as a file, with a button that stops after what was read. @param name name of what is saved, and of the file. */
export const ExportButtons = ({ name, ...source }: Source & { readonly name: string }) => {
  const [progress, stop] = [useSignal(""), useRef(new AbortController())];
  const { perform, isBusy, outcome } = useAction();
  useEffect(() => () => stop.current.abort(), []);
  const save = (format: FileFormat) =>
    perform(async () => {
      stop.current = new AbortController();
      progress.value = "";
      return await exportFile(
        name,
        format,
        source.read ?? (async () => pageOfTable(source.table.current)),
        stop.current.signal,
        (text) => (progress.value = text),
      );
    });
  return (
    <span class="buttons" role="group" aria-label={`Export ${name}`}>
      {(["csv", "ndjson"] as const).map((format) => (
        <button type="button" class="quiet" disabled={isBusy} onClick={() => void save(format)}>
          {titles[format]}
        </button>
      ))}
      {isBusy && (
        <button type="button" onClick={() => stop.current.abort()}>
          Stop at {progress}
        </button>
      )}
      {outcome}
    </span>
  );
};
