import type { closeLabelSet, deleteLabelSet } from "../../contract/labels/label-sets.ts";
import type { Database } from "../../dynamo/database.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { labelSetReply } from "../../http/labels/reply.ts";
import { labelSetOf } from "../../store/labels/codec.ts";
import { labelPublishing } from "../../store/labels/publish.ts";
import { labelSetStore } from "../../store/labels/sets.ts";
import { missingSet } from "./queue.ts";

/** Milliseconds after which a request starts no further part: the sweep publishes the rest. */
const publishMilliseconds = 10_000;

/** Returns the functions that close and delete label sets. */
export const labelSetClosing = (database: Database) => {
  const [sets, { publish }] = [labelSetStore(database), labelPublishing(database)];

  return {
    close: async (request: HandlerRequest<typeof closeLabelSet>) => {
      const [project, id] = [request.project.id, request.params.set_id];
      const closing = await sets.change(project, id, ({ state }) => ({
        result: true,
        state: state.status === "OPEN" ? { ...state, status: "CLOSING" as const } : undefined,
      }));
      if (closing !== null) await publish(project, id, Date.now() + publishMilliseconds);
      const set = await sets.get(project, id);
      if (set === null) throw missingSet(id);
      return labelSetReply(labelSetOf(set), request);
    },

    remove: async ({ params: { set_id: id }, project }: HandlerRequest<typeof deleteLabelSet>) => {
      if (!(await sets.delete(project.id, id))) throw missingSet(id);
    },
  };
};
