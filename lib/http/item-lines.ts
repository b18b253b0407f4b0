import { isUtf8 } from "node:buffer";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { lineTypes } from "../contract/datasets/line-types.ts";
import { CsvFlaw, csvRows } from "../domain/csv.ts";
import { cellJson } from "../domain/datasets/columns.ts";
import { isJsonColumn, type LineColumns } from "../domain/line-columns.ts";
import { nameAdvice } from "../domain/nearest-name.ts";
import { invalid, maxViolations, Refusal, type Violation } from "../domain/refusal.ts";
import { mediaTypeOf } from "./event.ts";
import { bodyText, errorOffset } from "./request-body.ts";

/** Item of a line, as JSON. */
interface Line {
  readonly line: number;
  readonly json: string;
}

const flawOf = (line: number, msg: string, type: Violation["type"] = "value_error", at: Violation["loc"] = []) => ({
  loc: ["body", "line", line, ...at],
  msg,
  type,
});

const jsonFlaw = ({ line, json }: Line): readonly Violation[] => {
  try {
    JSON.parse(json);
    return [];
  } catch {
    return [flawOf(line, "JSON decode error", "json_invalid", [errorOffset(json)])];
  }
};

/** Throws a refusal with violations, if there are any. */
const refuseFlaws = (violations: readonly Violation[]): void => {
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations: violations.slice(0, maxViolations) });
};

const ndjsonLines = (text: string): readonly Line[] => {
  const lines = text.split("\n").map((json, at) => ({ line: at + 1, json: json.trim() }));
  const filled = lines.filter(({ json }) => json !== "");
  // Each line by itself: two halves of an object on two lines would be one object in a list.
  refuseFlaws(filled.values().flatMap(jsonFlaw).take(maxViolations).toArray());
  return filled;
};

const headerFlaws = (columns: LineColumns, names: readonly string[], line: number): readonly Violation[] => {
  const { prefix } = columns;
  const whole = prefix.slice(0, -1);
  const isKnown = (name: string) => name.startsWith(prefix) || columns.names.includes(name);
  const unknown = names
    .filter((name) => !isKnown(name))
    .map((name) => `No column "${name}"${nameAdvice(name, columns.names)}`);
  const repeated = names.filter((name, at) => names.indexOf(name) < at).map((name) => `Two columns "${name}"`);
  const isMixed = names.includes(whole) && names.some((name) => name.startsWith(prefix));
  const mixed = isMixed ? [`A column ${whole} or columns ${prefix}<key>, not both`] : [];
  return [...unknown, ...repeated, ...mixed].map((msg) => flawOf(line, msg));
};

const objectOf = (members: readonly (readonly [name: string, json: string])[]): string =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;

/** Returns the item of a row as JSON; an empty cell is no field. */
const rowJson = (columns: LineColumns, names: readonly string[], cells: readonly string[]): string => {
  const members = names.flatMap((name, at): (readonly [string, string])[] => {
    const cell = cells[at] ?? "";
    return cell === "" ? [] : [[name, isJsonColumn(columns, name) ? cellJson(cell) : JSON.stringify(cell)]];
  });
  const { prefix } = columns;
  const keys = members.filter(([name]) => name.startsWith(prefix));
  const fields = members.filter((member) => !keys.includes(member));
  const values = keys.map(([name, json]) => [name.slice(prefix.length), json] as const);
  return objectOf(keys.length === 0 ? fields : [...fields, [prefix.slice(0, -1), objectOf(values)]]);
};

const csvLines = (text: string, columns: LineColumns): readonly Line[] => {
  try {
    const [header, ...rows] = csvRows(text);
    const { line, cells: names } = header ?? { line: 1, cells: [] };
    refuseFlaws(headerFlaws(columns, names, line));
    const uneven = rows.filter(({ cells }) => cells.length !== names.length);
    const count = ({ cells }: { readonly cells: readonly string[] }) =>
      `${cells.length} cells below ${names.length} columns`;
    refuseFlaws(uneven.map((row) => flawOf(row.line, count(row))));
    return rows.map((row) => ({ line: row.line, json: rowJson(columns, names, row.cells) }));
  } catch (error) {
    if (error instanceof CsvFlaw) throw invalid(["body", "line", error.line], error.message);
    throw error;
  }
};

const [ndjson, csv] = lineTypes;

/** A body of lines as the JSON body with their items. */
interface ItemLines {
  readonly json: string;
  /** Line of each item, from 1. */
  readonly lines: readonly number[];
}

/** Refuses bytes that are not UTF-8, by the first such line: no character but the line feed itself has its byte. */
const checkUtf8 = ({ body, isBase64Encoded }: APIGatewayProxyEvent): void => {
  const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
  if (isUtf8(bytes)) return;
  const lines = bytes.toString("latin1").split("\n");
  const at = lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
  throw invalid(["body", "line", at + 1], "The line is not valid UTF-8");
};

/**
 * Reads a body of NDJSON or CSV; undefined for another one. The body parser is told that it is JSON now.
 *
 * @throws Refusal `invalid` with the lines that cannot be read, and those of `bodyText`.
 */
export const itemLinesOf = (event: APIGatewayProxyEvent, columns: LineColumns): ItemLines | undefined => {
  const type = mediaTypeOf(event);
  if (type !== ndjson && type !== csv) return undefined;
  checkUtf8(event);
  const text = bodyText(event).replace(/^\uFEFF/u, "");
  const lines = type === csv ? csvLines(text, columns) : ndjsonLines(text);
  event.headers = { ...event.headers, "content-type": "application/json" };
  return { json: `{"items":[${lines.map(({ json }) => json).join(",")}]}`, lines: lines.map(({ line }) => line) };
};

/** Names the lines of items in a refusal, instead of their places in the list that was made of them. */
export const refusalByLine = (refusal: Refusal, lines: readonly number[] | undefined): Refusal => {
  const { reason } = refusal;
  if (lines === undefined || reason.kind !== "invalid") return refusal;
  const violations = reason.violations.map(({ loc, ...violation }) => {
    const [part, list, at, ...rest] = loc;
    const line = part === "body" && list === "items" && typeof at === "number" ? lines[at] : undefined;
    return { ...violation, loc: line === undefined ? loc : ["body", "line", line, ...rest] };
  });
  return new Refusal({ ...reason, violations });
};
