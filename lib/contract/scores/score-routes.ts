import * as v from "valibot";
import type { Grants } from "../../dynamo/table.ts";
import { page, uuid } from "../schema/fields.ts";
import { route, targetNames, type TargetWord } from "../route.ts";
import { scoreEdit } from "./fields.ts";

/** Schemas, texts and DynamoDB actions that differ between the scores of traces and those of sessions. */
interface ScoreDefinitions<Score, Input, Query, TargetId> {
  readonly score: Score;
  readonly input: Input;
  readonly creationDescription: string;
  readonly listQuery: Query;
  /** Id of the target, in the path segment that has the id of a score in PUT, PATCH and DELETE. */
  readonly targetId: TargetId;
  readonly targetSummary: string;
  readonly targetDescription: string;
  readonly grants: Readonly<Record<"create" | "list" | "get" | "update", Grants>>;
  /** Set if lists read files of closed days. */
  readonly listFiles: { readonly searchesLake?: true };
  /** Memory of the functions that create scores and list those of a target, in MB. */
  readonly memory: number;
}

/** Defines the routes of scores of traces or of sessions. */
export const scoreRoutes = <
  Word extends TargetWord,
  Score extends v.GenericSchema,
  Input extends v.GenericSchema,
  Query extends v.GenericSchema,
  TargetId extends v.GenericSchema,
>(
  target: Word,
  definitions: ScoreDefinitions<Score, Input, Query, TargetId>,
) => {
  const { score, input, listQuery, targetId, grants, memory } = definitions;
  const name = targetNames[target];
  const path = `/evaluations/${target}-scores` as const;
  const scorePath = {
    path: `${path}/{score_id}`,
    // API Gateway needs one name for the path parameter of all methods.
    gatewayNames: { score_id: `${target}_or_score_id` },
  } as const;
  const params = v.object({ score_id: uuid });
  return {
    createScore: route({
      id: `create${name}Score`,
      method: "POST",
      idempotency: "derived-id",
      path,
      handler: `api/scores/create-${target}-score`,
      summary: `Create a ${target} score`,
      description: definitions.creationDescription,
      access: "project",
      permission: "write",
      body: input,
      hasContent: true,
      success: 201,
      reply: score,
      grants: grants.create,
      memory,
    }),
    putScore: route({
      ...scorePath,
      id: `put${name}Score`,
      answeredBy: `create${name}Score`,
      method: "PUT",
      handler: `api/scores/create-${target}-score`,
      summary: `Create or replace a ${target} score`,
      description:
        "Stores a score under an id that the client chooses. A score that has the id gets the value, reason, metadata and source of " +
        "the body, and `original` has the ones before; a repeated request changes nothing. An absent `source` is ANNOTATION.",
      access: "project",
      permission: "write",
      params,
      body: input,
      hasContent: true,
      success: 200,
      reply: score,
      conflict: `The id is that of a score of another ${target}, span or name, or of an evaluation, whose scores are corrected with PATCH.`,
      grants: grants.create,
      memory,
    }),
    listScores: route({
      id: `list${name}Scores`,
      method: "GET",
      path,
      handler: `api/scores/list-${target}-scores`,
      summary: `List ${target} scores`,
      description:
        "Returns the scores that match all filters, newest first or with `sort_by=value` by numeric value, other values last. `total` " +
        "may lag by seconds without filters, and with filters on metric or run, status, source and type; it is exact on the last page. " +
        "With other filters the matches are counted, and a request that would take too long is refused. Filters of traces select the scores " +
        "of existing traces that match, or of sessions with a trace that matches.",
      access: "project",
      permission: "read",
      query: listQuery,
      success: 200,
      reply: page(score),
      grants: grants.list,
      ...definitions.listFiles,
      warns: true,
      streams: true,
      memory: 1024,
    }),
    getScores: route({
      ...scorePath,
      id: `get${name}Scores`,
      method: "GET",
      handler: `api/scores/get-${target}-scores`,
      summary: definitions.targetSummary,
      description: definitions.targetDescription,
      access: "project",
      permission: "read",
      params: v.object({ score_id: targetId }),
      success: 200,
      reply: v.array(score),
      grants: grants.get,
      streams: true,
      memory,
    }),
    updateScore: route({
      ...scorePath,
      id: `update${name}Score`,
      method: "PATCH",
      handler: `api/scores/update-${target}-score`,
      summary: `Update a ${target} score`,
      description:
        "Sets the status to SUCCESS, the source to ANNOTATION, the author and `updated_at`, even if the body is empty; a new value also " +
        "makes the score applicable. The previous judgement is kept in `original`. Other fields cannot be changed, and evaluations no " +
        "longer change the score.",
      access: "project",
      permission: "write",
      params,
      body: scoreEdit,
      hasContent: true,
      success: 200,
      reply: score,
      grants: grants.update,
    }),
    deleteScore: route({
      ...scorePath,
      id: `delete${name}Score`,
      method: "DELETE",
      handler: `api/scores/delete-${target}-score`,
      summary: `Delete a ${target} score`,
      description: "Deletes one score by its id.",
      access: "project",
      permission: "write",
      params,
      success: 204,
      reply: v.void(),
      grants: { scores: ["GetItem", "DeleteItem"] },
    }),
  };
};
