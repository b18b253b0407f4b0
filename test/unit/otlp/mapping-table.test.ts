import { expect, test } from "vitest";
import type { ExportedSpan } from "../../../lib/conventions/attributes/exported-span.ts";
import { mappingTable } from "../../../lib/conventions/mapping-table.ts";
import { precedence, spanFields } from "../../../lib/conventions/precedence.ts";

/** Names of the attributes that a reader looks up in a tool call and in an agent run, the spans whose names Logfire reads. */
const namesReadBy = (reader: (span: ExportedSpan) => unknown): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const template of ["Function: search", "Agent run: guide"]) {
    const get = (_: object, name: string): string | undefined => {
      names.add(name);
      return name === "logfire.msg_template" ? template : undefined;
    };
    reader({ attributes: new Proxy({}, { get }), events: [], scope: { name: "" } } as unknown as ExportedSpan);
  }
  return names;
};

test("every reader reads the attributes that the table at /docs names for it, and none lacks a source", () => {
  const readers = precedence.flatMap((convention) =>
    spanFields.flatMap((field) => (convention[field] ?? []).map((reader) => ({ field, reader }))),
  );
  const flaws = readers.flatMap(({ field, reader }) => {
    const sources = Object.values(reader.sources ?? {}).flat();
    const readNames = namesReadBy(reader);
    const unread = sources.filter((name) => !/^\(|\*$|\.N\./u.test(name) && !readNames.has(name));
    return sources.length === 0 ? [`${field} without a source`] : unread;
  });
  expect(flaws).toEqual([]);
  expect(mappingTable).toContain("| kind | `langfuse.observation.type`, `langsmith.span.kind`, `mlflow.spanType`,");
});
