import { paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { otherName, type NameNumbers } from "../../../domain/traces/facts.ts";
import type { FilteredNames } from "../../../domain/traces/filter.ts";
import { again, attempts, unavailable } from "../../attempts.ts";
import { uuidBytes } from "../../bytes/text.ts";
import type { Database } from "../../database.ts";
import { succeeds } from "../../failure.ts";
import * as patience from "../../patience.ts";
import { namesKey, namesOfSort, namesRange } from "../keys.ts";

/** Kinds of names, in the order of their numbers in keys: a kind never changes its place. */
const kinds = ["models", "tools"] as const;
type Kind = (typeof kinds)[number];

/** Names of a kind that a project may have; all others share a number. */
const mostNames = 1_000;

/** Names in one item: adding one costs what the item weighs. */
const pageNames = 50;

/** Characters of a name that has a number of its own. */
const longestName = 200;

/** Names that a process remembers, of all projects. */
const cacheNames = 200_000;

type WantedNames = Readonly<Record<Kind, ReadonlySet<string>>>;

const item = v.object({ sk: v.instance(Uint8Array), names: v.array(v.string()) });

/** The numbers that a project's names have, as far as a process knows them; the first is 1. */
type Known = Readonly<Record<Kind, ReadonlyMap<string, number>>>;

const nothing: Known = { models: new Map(), tools: new Map() };

const hasNumber = (name: string): boolean => name.length <= longestName || Array.from(name).length <= longestName;

/** Names that have no number yet and get one, as many as their page has room for. */
const lacking = (known: ReadonlyMap<string, number>, wanted: ReadonlySet<string>): readonly string[] => {
  const room = Math.min(mostNames - known.size, pageNames - (known.size % pageNames));
  return [...wanted].filter((name) => !known.has(name) && hasNumber(name)).slice(0, Math.max(0, room));
};

/**
 * The names of models and tools that a project's rows name by numbers. They are only added to: a number means the same name
 * as long as the project is there.
 */
export const projectNames = ({ client, table }: Database) => {
  const remembered = new Map<string, Known>();
  let size = 0;
  /** Who is at a project's names: of traces that are stored at the same time one asks, and the others wait for it. */
  const working = new Map<string, Promise<unknown>>();

  const inLine = async <Result>(project: string, work: () => Promise<Result>): Promise<Result> => {
    const mine = (working.get(project) ?? Promise.resolve()).then(work, work);
    working.set(project, mine);
    try {
      return await mine;
    } finally {
      if (working.get(project) === mine) working.delete(project);
    }
  };

  const remember = (project: string, known: Known): Known => {
    const before = remembered.get(project) ?? nothing;
    size += known.models.size + known.tools.size - before.models.size - before.tools.size;
    if (size > cacheNames) {
      remembered.clear();
      size = known.models.size + known.tools.size;
    }
    remembered.set(project, known);
    return known;
  };

  /** Strongly read: a name that is there and not seen would get another number. */
  const read = async (project: string): Promise<Known> => {
    const known = { models: new Map<string, number>(), tools: new Map<string, number>() };
    const pages = paginateQuery(
      { client },
      {
        TableName: table("rows"),
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: { ":pk": uuidBytes(project), ":from": namesRange.from, ":to": namesRange.to },
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages) {
      for (const each of Items) {
        const { sk, names } = v.parse(item, each);
        const kind = kinds[namesOfSort(sk).kind];
        const first = namesOfSort(sk).page * pageNames + 1;
        if (kind !== undefined) names.forEach((name, index) => known[kind].set(name, first + index));
      }
    }
    return known;
  };

  /** Adds names behind those that are known. @returns null when somebody else has added one meanwhile. */
  const append = async (
    project: string,
    kind: Kind,
    known: ReadonlyMap<string, number>,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, number> | null> => {
    if (names.length === 0) return known;
    const [page, held] = [Math.floor(known.size / pageNames), known.size % pageNames];
    const added = await succeeds(
      client.send(
        new UpdateCommand({
          TableName: table("rows"),
          Key: namesKey(project, kinds.indexOf(kind), page),
          UpdateExpression: "SET #names = list_append(if_not_exists(#names, :none), :new)",
          ConditionExpression: held === 0 ? "attribute_not_exists(pk)" : "size(#names) = :held",
          ExpressionAttributeNames: { "#names": "names" },
          ExpressionAttributeValues: { ":none": [], ":new": names, ...(held > 0 && { ":held": held }) },
        }),
      ),
    );
    return added ? new Map([...known, ...names.map((name, index) => [name, known.size + index + 1] as const)]) : null;
  };

  /** Gives numbers to all that lack one. @returns null when somebody else was faster. */
  const completed = async (project: string, before: Known, wanted: WantedNames): Promise<Known | null> => {
    for (let known = before; ;) {
      const [newModels, newTools] = [lacking(known.models, wanted.models), lacking(known.tools, wanted.tools)];
      if (newModels.length + newTools.length === 0) return known;
      const [models, tools] = await Promise.all([
        append(project, "models", known.models, newModels),
        append(project, "tools", known.tools, newTools),
      ]);
      if (models === null || tools === null) return null;
      known = remember(project, { models, tools });
    }
  };

  return {
    /** The names that a project's rows name, by kind and number. */
    list: read,

    /** The numbers of a model and a tool that rows are to be found by; nothing is read where none is asked for. */
    find: async (
      project: string,
      { model, tool }: { readonly model?: string | undefined; readonly tool?: string | undefined },
    ): Promise<FilteredNames> => {
      let known = remembered.get(project) ?? nothing;
      const isKnown = (): boolean =>
        (model === undefined || known.models.has(model)) && (tool === undefined || known.tools.has(tool));
      if (!isKnown()) known = remember(project, await read(project));
      const numberOf = (names: ReadonlyMap<string, number>, name: string | undefined): number =>
        name === undefined ? otherName : (names.get(name) ?? otherName);
      return { model: numberOf(known.models, model), tool: numberOf(known.tools, tool) };
    },

    /**
     * The numbers of some names, given to those that had none. A name of more than 200 characters has none of its own, nor
     * has what comes after a project's first 1,000 models or tools.
     *
     * @throws Refusal `unavailable` when others add names at every attempt.
     */
    numbers: async (project: string, wanted: WantedNames): Promise<NameNumbers> => {
      const before = remembered.get(project) ?? nothing;
      const isKnown = lacking(before.models, wanted.models).length + lacking(before.tools, wanted.tools).length === 0;
      const found = isKnown
        ? before
        : await inLine(project, () => {
            let known = remembered.get(project);
            return attempts(
              patience.request,
              unavailable("Others are changing the same thing. Try again."),
              async () => {
                known ??= remember(project, await read(project));
                const all = await completed(project, known, wanted);
                known = undefined;
                return all ?? again;
              },
            );
          });
      return {
        model: (name) => found.models.get(name) ?? otherName,
        tool: (name) => found.tools.get(name) ?? otherName,
      };
    },
  };
};
