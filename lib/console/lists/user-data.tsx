import { useSignal } from "@preact/signals";
import type { Deletion } from "../../client/interface.ts";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { savePages } from "../parts/files/file-requests.ts";
import { Receipt } from "./receipt.tsx";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";

/** Milliseconds after which a receipt is read again. */
const refreshMilliseconds = 10_000;

/** Buttons that export and delete everything of a user, and the receipt of the deletion, which takes a quarter of an hour at least. */
export const UserData = ({ id }: { readonly id: string }) => {
  const receipt = useSignal<Deletion | null>(null);
  const { perform, isBusy, outcome } = useAction();
  const save = () =>
    perform(() =>
      savePages(`user ${id}`, "ndjson", (reader, query) => reader.exportUser({ query: { ...query, user_id: id } })),
    );
  const erase = () =>
    perform(async () => {
      receipt.value = await client.value.eraseUser({ query: { user_id: id } });
    });
  const { value: requested } = receipt;
  const progress = useLoad(
    async (signal) => {
      if (requested === null) return null;
      const { org_id } = requested;
      const receipts = await collect(client.value.each.listDeletions({ path: { org_id } }, { signal }));
      return receipts.find((each) => each.id === requested.id) ?? requested;
    },
    [requested],
    refreshMilliseconds,
    (latest) => latest?.status === "RUNNING",
  );
  const current = progress.value ?? requested;
  return (
    <div class="tools">
      <button type="button" class="quiet" disabled={isBusy} onClick={() => void save()}>
        Export
      </button>
      {current?.status === "RUNNING" ? null : (
        <ConfirmButton
          label="Delete"
          question="Delete all traces of this user, and what was made of them? Type the user id:"
          typed={id}
          onConfirm={erase}
        />
      )}
      {outcome}
      {current !== null && (
        <div role="status">
          <Receipt {...current} />
          {current.status === "RUNNING" && (
            <p class="faint">Traces go within minutes; two checks 16 minutes apart prove that nothing is left.</p>
          )}
        </div>
      )}
    </div>
  );
};
