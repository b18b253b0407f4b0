import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Export } from "./files/export.tsx";

/** Table in a region that scrolls sideways where the table is wider than the page, by touch and by keyboard. */
export const WideTable = ({
  label,
  hasExport = true,
  children,
}: {
  /** Accessible name of the region, and of the file. */
  readonly label: string;
  readonly hasExport?: boolean;
  readonly children: ComponentChildren;
}) => {
  const table = useRef<HTMLTableElement>(null);
  return (
    <>
      <div class="sides" tabIndex={0} role="region" aria-label={label}>
        <table ref={table}>{children}</table>
      </div>
      {hasExport && <Export name={label} table={table} />}
    </>
  );
};

/** Column of a table: its head, and the cell of a row. */
export type TableColumn<Row> = readonly [head: ComponentChildren, cell: (row: Row) => ComponentChildren];

interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[] | undefined;
  readonly columns: readonly TableColumn<Row>[];
  /** Identity of a row whose cells have a state of their own, such as a question. */
  readonly keyOf?: (row: Row) => string;
  readonly hasExport?: boolean;
}

/** Wide table with a row for each item, whose first cell names it; nothing without rows. */
export const DataTable = <Row,>({ label, rows = [], columns, keyOf, hasExport }: DataTableProps<Row>) =>
  rows.length === 0 ? null : (
    <WideTable label={label} {...(hasExport !== undefined && { hasExport })}>
      <thead>
        <tr>
          {columns.map(([head]) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf?.(row)}>
            {columns.map(([, cell], at) => (at === 0 ? <th scope="row">{cell(row)}</th> : <td>{cell(row)}</td>))}
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
