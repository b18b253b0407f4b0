import type { Route } from "../../lib/contract/route.ts";
import type { Slot } from "./shape.ts";
import { surfaceOf } from "./surface.ts";

/** Where in a request an id can stand. */
export interface IdPosition {
  readonly route: Route;
  readonly where: "path" | "query" | "body" | "header";
  /** Keys from the part of the request to the id; an item of a list is at 0. */
  readonly path: readonly (string | number)[];
  /** What tells the kind of thing: the last name on the way. */
  readonly name: string;
  /** Whether the id is an item of a list. */
  readonly listed: boolean;
}

/** Texts that are ids by their name, whatever form they have. */
const idName = /(?:^|_)ids?$/u;

type Found = Pick<IdPosition, "path" | "name" | "listed">;

const found = (slot: Slot, path: Found["path"], name: string, listed: boolean): readonly Found[] => {
  const { shape } = slot;
  switch (shape.kind) {
    case "known":
      return shape.known.id ? [{ path, name, listed }] : [];
    case "text":
      return idName.test(name) ? [{ path, name, listed }] : [];
    case "object":
      return Object.entries(shape.fields).flatMap(([key, field]) => found(field, [...path, key], key, false));
    case "map":
      return found(shape.value, [...path, "key"], name, false);
    case "list":
      return found(shape.item, [...path, 0], name, true);
    case "either":
      return shape.options.flatMap((option) => found(option, path, name, listed));
    case "choice":
    case "number":
    case "numeral":
    case "boolean":
      return [];
    default:
      return shape satisfies never;
  }
};

const parameters = (slots: Readonly<Record<string, Slot>>): readonly Found[] =>
  Object.entries(slots).flatMap(([name, slot]) => found(slot, [name], name, false));

/** Scores of traces and of sessions are named alike in paths. */
const kindOf = ({ path }: Route, name: string): string =>
  name === "score_id" && path.includes("/session-scores/") ? "session_score_id" : name;

/** Every position of a route in which an id can stand: all of its path, what is an id elsewhere, and the project's header. */
export const idPositions = (route: Route): readonly IdPosition[] => {
  const { params, query, body } = surfaceOf(route);
  const at = (where: IdPosition["where"], positions: readonly Found[]): readonly IdPosition[] =>
    positions.map((position) => ({ route, where, ...position }));
  const header = "X-Project-ID";
  return [
    ...at(
      "path",
      Object.keys(params).map((name) => ({ path: [name], name: kindOf(route, name), listed: false })),
    ),
    ...at("query", parameters(query)),
    ...at("body", body === null ? [] : found(body, [], "body", false)),
    ...at("header", [{ path: [header], name: header, listed: false }]),
  ];
};
