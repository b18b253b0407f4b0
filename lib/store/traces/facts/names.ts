import * as v from "valibot";
import { unnumberedName, type NameNumbers } from "../../../domain/traces/facts.ts";
import type { FilteredNames } from "../../../domain/traces/filter.ts";
import { tryAgain, withRetries, throwUnavailable } from "../../../dynamo/with-retries.ts";
import { uuidBytes } from "../../../dynamo/bytes/text.ts";
import type { Database } from "../../../dynamo/database.ts";
import { succeeds } from "../../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../../dynamo/items.ts";
import { requestRetryPolicy } from "../../../dynamo/retry-policies.ts";
import { namesKey, namesOfSort, namesRange } from "../keys.ts";

/** Kinds of names in trace rows; the index of a kind is part of stored keys and never changes. */
const kinds = ["models", "tools"] as const;
type Kind = (typeof kinds)[number];

/** Max numbered names of a kind (models or tools) per project; all further names share one number. */
const maxNames = 1_000;

/** Max names in one item: adding a name is charged for the size of the whole item. */
const pageNames = 50;

/** Maximum characters of a numbered name. */
const maxNameLength = 200;

/** Max names cached by a process, of all projects. */
const maxCachedNames = 200_000;

type RequestedNames = Readonly<Record<Kind, ReadonlySet<string>>>;

const item = v.object({ sk: v.instance(Uint8Array), names: v.array(v.string()) });

/** Numbers of a project's model and tool names, as known to this process; the first number is 1. */
type NameTables = Readonly<Record<Kind, ReadonlyMap<string, number>>>;

const noNames: NameTables = { models: new Map(), tools: new Map() };

const hasNumber = (name: string): boolean => name.length <= maxNameLength || Array.from(name).length <= maxNameLength;

/**
 * Returns the requested names that get a new number: those without one, at most as many as the last item of names has
 * room for.
 */
const namesToNumber = (numbers: ReadonlyMap<string, number>, requested: ReadonlySet<string>): readonly string[] => {
  const room = Math.min(maxNames - numbers.size, pageNames - (numbers.size % pageNames));
  return [...requested].filter((name) => !numbers.has(name) && hasNumber(name)).slice(0, Math.max(0, room));
};

/**
 * Store of the model and tool names that a project's rows refer to by number. Names are only appended: a number keeps
 * its meaning for the lifetime of the project.
 */
export const projectNames = (database: Database) => {
  const rows = itemsOf(database, "rows");
  const cachedTables = new Map<string, NameTables>();
  let size = 0;
  /**
   * Last operation of each project; concurrent operations of one project wait for each other, so that they share one
   * read.
   */
  const runningByProject = new Map<string, Promise<unknown>>();

  const serialized = async <Result>(project: string, work: () => Promise<Result>): Promise<Result> => {
    const running = (runningByProject.get(project) ?? Promise.resolve()).then(work, work);
    runningByProject.set(project, running);
    try {
      return await running;
    } finally {
      if (runningByProject.get(project) === running) runningByProject.delete(project);
    }
  };

  const remember = (project: string, tables: NameTables): NameTables => {
    const before = cachedTables.get(project) ?? noNames;
    size += tables.models.size + tables.tools.size - before.models.size - before.tools.size;
    if (size > maxCachedNames) {
      cachedTables.clear();
      size = tables.models.size + tables.tools.size;
    }
    cachedTables.set(project, tables);
    return tables;
  };

  /** Reads a project's names of models and tools, strongly consistent: an overlooked name would get a second number. */
  const readTables = async (project: string): Promise<NameTables> => {
    const tables = { models: new Map<string, number>(), tools: new Map<string, number>() };
    const { from, to } = namesRange;
    for await (const each of rows.query({ pk: uuidBytes(project), between: [from, to] })) {
      const { sk, names } = v.parse(item, each);
      const kind = kinds[namesOfSort(sk).kind];
      const first = namesOfSort(sk).page * pageNames + 1;
      if (kind !== undefined) names.forEach((name, index) => tables[kind].set(name, first + index));
    }
    return tables;
  };

  /** Appends names to a project's list. @returns null when another writer has appended names meanwhile. */
  const append = async (
    project: string,
    kind: Kind,
    numbers: ReadonlyMap<string, number>,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, number> | null> => {
    if (names.length === 0) return numbers;
    const [page, pageSize] = [Math.floor(numbers.size / pageNames), numbers.size % pageNames];
    const isAdded = await succeeds(
      rows.update(
        namesKey(project, kinds.indexOf(kind), page),
        "SET #names = list_append(if_not_exists(#names, :none), :new)",
        {
          when: pageSize === 0 ? ifAbsent : "size(#names) = :held",
          values: { ":none": [], ":new": names, ":held": pageSize },
        },
      ),
    );
    return isAdded
      ? new Map([...numbers, ...names.map((name, index) => [name, numbers.size + index + 1] as const)])
      : null;
  };

  /** Appends all requested names that lack a number. @returns null when another writer was faster. */
  const addMissing = async (
    project: string,
    before: NameTables,
    requested: RequestedNames,
  ): Promise<NameTables | null> => {
    for (let tables = before; ;) {
      const [newModels, newTools] = [
        namesToNumber(tables.models, requested.models),
        namesToNumber(tables.tools, requested.tools),
      ];
      if (newModels.length + newTools.length === 0) return tables;
      const [models, tools] = await Promise.all([
        append(project, "models", tables.models, newModels),
        append(project, "tools", tables.tools, newTools),
      ]);
      if (models === null || tools === null) return null;
      tables = remember(project, { models, tools });
    }
  };

  return {
    /** Reads the names of models and tools that a project's rows refer to by number, with their numbers. */
    list: readTables,

    /**
     * Returns the numbers under which rows store a model and a tool, for a filter; reads nothing when the filter has
     * neither.
     */
    find: async (
      project: string,
      { model, tool }: { readonly model?: string | undefined; readonly tool?: string | undefined },
    ): Promise<FilteredNames> => {
      let tables = cachedTables.get(project) ?? noNames;
      const hasAll = (): boolean =>
        (model === undefined || tables.models.has(model)) && (tool === undefined || tables.tools.has(tool));
      if (!hasAll()) tables = remember(project, await readTables(project));
      const numberOf = (names: ReadonlyMap<string, number>, name: string | undefined): number =>
        name === undefined ? unnumberedName : (names.get(name) ?? unnumberedName);
      return { model: numberOf(tables.models, model), tool: numberOf(tables.tools, tool) };
    },

    /**
     * Returns the numbers of names, and appends names without a number. A name of more than 200 characters, and names
     * after a project's first 1,000 models or tools, share one number.
     *
     * @throws Refusal `unavailable` when other writers win at every attempt.
     */
    numbers: async (project: string, requested: RequestedNames): Promise<NameNumbers> => {
      const before = cachedTables.get(project) ?? noNames;
      const hasAll =
        namesToNumber(before.models, requested.models).length + namesToNumber(before.tools, requested.tools).length ===
        0;
      const tables = hasAll
        ? before
        : await serialized(project, () => {
            let cached = cachedTables.get(project);
            return withRetries(
              requestRetryPolicy,
              throwUnavailable("Other requests are adding names to the project. Try again."),
              async () => {
                cached ??= remember(project, await readTables(project));
                const completedTables = await addMissing(project, cached, requested);
                cached = undefined;
                return completedTables ?? tryAgain;
              },
            );
          });
      return {
        model: (name) => tables.models.get(name) ?? unnumberedName,
        tool: (name) => tables.tools.get(name) ?? unnumberedName,
      };
    },
  };
};
