import type { Route } from "../../lib/contract/route.ts";
import type { Slot } from "./shape.ts";
import { surfaceOf } from "./surface.ts";

/** A position in a request that contains an id. */
export interface IdPosition {
  readonly route: Route;
  readonly where: "path" | "query" | "body" | "header";
  /** Keys from the part of the request to the id; 0 represents the items of a list. */
  readonly path: readonly (string | number)[];
  /** Name that determines the kind of the item: the last name in the path. */
  readonly name: string;
  /** True if the id is an item of a list. */
  readonly isListItem: boolean;
}

/** Names of texts that are ids in any format. */
const idName = /(?:^|_)ids?$/u;

type SlotPosition = Pick<IdPosition, "path" | "name" | "isListItem">;

const idsIn = (slot: Slot, path: SlotPosition["path"], name: string, isListItem: boolean): readonly SlotPosition[] => {
  const { shape } = slot;
  switch (shape.kind) {
    case "known":
      return shape.knownValues.id ? [{ path, name, isListItem }] : [];
    case "text":
      return idName.test(name) ? [{ path, name, isListItem }] : [];
    case "object":
      return Object.entries(shape.fields).flatMap(([key, field]) => idsIn(field, [...path, key], key, false));
    case "map":
      return idsIn(shape.value, [...path, "key"], name, false);
    case "list":
      return idsIn(shape.item, [...path, 0], name, true);
    case "either":
      return shape.options.flatMap((option) => idsIn(option, path, name, isListItem));
    case "choice":
    case "number":
    case "numeral":
    case "boolean":
      return [];
    default:
      return shape satisfies never;
  }
};

const parameters = (slots: Readonly<Record<string, Slot>>): readonly SlotPosition[] =>
  Object.entries(slots).flatMap(([name, slot]) => idsIn(slot, [name], name, false));

/** Kind of the item that a path parameter addresses: scores of traces and of sessions share a parameter name, as do items of datasets and of label sets. */
export const kindOf = ({ path }: Route, name: string): string => {
  if (name === "item_id" && path.includes("/label-sets/")) return "label_item_id";
  return name === "score_id" && path.includes("/session-scores/") ? "session_score_id" : name;
};

/** LangSmith calls a project a session. */
const bodyKindOf = ({ path }: Route, name: string): string =>
  name === "session_id" && path.startsWith("/langsmith/") ? "X-Project-ID" : name;

/** The query parameter `id` of a session's route stands for the id in the path. */
const queryKindOf = ({ path }: Route, name: string): string =>
  name === "id" && path.endsWith("/{session_id}") ? "session_id" : name;

const renamed = (positions: readonly SlotPosition[], kind: (name: string) => string): readonly SlotPosition[] =>
  positions.map(({ path, name, isListItem }) => ({ path, name: kind(name), isListItem }));

/** All positions of a route that contain an id: its path parameters, ids elsewhere, and the project's header. */
export const idPositions = (route: Route): readonly IdPosition[] => {
  const { params, query, body } = surfaceOf(route);
  const at = (where: IdPosition["where"], positions: readonly SlotPosition[]): readonly IdPosition[] =>
    positions.map((position) => ({ route, where, ...position }));
  const header = "X-Project-ID";
  return [
    ...at(
      "path",
      Object.keys(params).map((name) => ({ path: [name], name: kindOf(route, name), isListItem: false })),
    ),
    ...at(
      "query",
      renamed(parameters(query), (name) => queryKindOf(route, name)),
    ),
    ...at(
      "body",
      renamed(body === null ? [] : idsIn(body, [], "body", false), (name) => bodyKindOf(route, name)),
    ),
    ...at("header", [{ path: [header], name: header, isListItem: false }]),
  ];
};
