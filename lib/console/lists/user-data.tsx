import { ConfirmButton, useAction } from "../parts/action.tsx";
import { savePages } from "../parts/files/file-requests.ts";
import { Receipt } from "./receipt.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { route, updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";

/** Milliseconds after which a receipt is read again. */
const refreshMilliseconds = 10_000;

/** Buttons that export and delete everything of a user, and the receipt of the deletion, which takes a quarter of an hour at least. */
export const UserData = ({ id }: { readonly id: string }) => {
  // In the address, as the receipt does not tell whose it is.
  const { deletion = null } = route.value.query;
  const { perform, isBusy, outcome } = useAction();
  const save = () =>
    perform(() =>
      savePages(`user ${id}`, "ndjson", (reader, query) => reader.exportUser({ query: { ...query, user_id: id } })),
    );
  const erase = () =>
    perform(async () => {
      const receipt = await client.value.eraseUser({ query: { user_id: id } });
      updateQuery({ deletion: `${receipt.org_id}/${receipt.id}` });
    });
  const {
    value: receipt,
    error,
    reload,
  } = useLoad(
    async (signal) => {
      const [org_id = "", receiptId] = deletion?.split("/") ?? [];
      if (receiptId === undefined) return null;
      const receipts = await collect(client.value.each.listDeletions({ path: { org_id } }, { signal }));
      return receipts.find((each) => each.id === receiptId) ?? null;
    },
    [deletion],
    refreshMilliseconds,
    (latest) => latest?.status === "RUNNING",
  );
  return (
    <div class="tools">
      <button type="button" class="quiet" disabled={isBusy} onClick={() => void save()}>
        Export
      </button>
      {deletion !== null && receipt?.status !== "PROVED" ? null : (
        <ConfirmButton
          label="Delete"
          question="Delete all traces of this user, and what was made of them? Type the user id:"
          typed={id}
          onConfirm={erase}
        />
      )}
      {outcome}
      <ErrorAlert error={error} reload={reload} />
      {receipt !== null && (
        <div role="status">
          <Receipt {...receipt} />
          {receipt.status === "RUNNING" && (
            <p class="faint">Traces go within minutes; two checks 16 minutes apart prove that nothing is left.</p>
          )}
        </div>
      )}
    </div>
  );
};
