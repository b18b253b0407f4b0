import type { Deletion } from "../../client/interface.ts";
import { count } from "../format.ts";
import { LocalTime } from "../parts/labels.tsx";

/** State of a deletion, and what it has removed so far. */
export const Receipt = ({ name, kind, requested_at: at, status, removed, proved_empty_at: verifiedAt }: Deletion) => (
  <>
    <b dir="auto">{name}</b>
    <span class="faint">{kind.toLowerCase()}</span>
    <span>
      requested <LocalTime at={at} />
    </span>
    <span class={verifiedAt === null ? "status busy" : "status good"}>
      {verifiedAt === null ? (
        status.toLowerCase()
      ) : (
        <>
          verified empty <LocalTime at={verifiedAt} />
        </>
      )}
    </span>
    <span class="faint">
      {Object.entries(removed)
        .map(([itemKind, number]) => `${count(number)} ${itemKind.replaceAll("_", " ")}`)
        .join(", ")}
    </span>
  </>
);
