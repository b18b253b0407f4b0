import type { JSX } from "preact";
import type { Deletion } from "../../client/interface.ts";
import { Fact } from "../display/fact.tsx";
import { count } from "../format.ts";
import { LocalTime } from "../parts/labels.tsx";

/** What a receipt of a deletion says, by title: its state, and what it has removed so far. */
export const receiptColumns: readonly (readonly [title: string, text: (receipt: Deletion) => JSX.Element])[] = [
  ["Name", ({ name }) => <b dir="auto">{name}</b>],
  ["Kind", ({ kind }) => <>{kind.toLowerCase()}</>],
  ["Requested", ({ requested_at: at }) => <LocalTime at={at} />],
  [
    "Status",
    ({ status, proved_empty_at: verifiedAt }) => (
      <span class={verifiedAt === null ? "status busy" : "status good"}>
        {verifiedAt === null ? (
          status.toLowerCase()
        ) : (
          <>
            verified empty <LocalTime at={verifiedAt} />
          </>
        )}
      </span>
    ),
  ],
  [
    "Removed",
    ({ removed }) => (
      <>
        {Object.entries(removed)
          .map(([itemKind, number]) => `${count(number)} ${itemKind.replaceAll("_", " ")}`)
          .join(", ")}
      </>
    ),
  ],
];

/** Receipt of one deletion. */
export const Receipt = (receipt: Deletion) => (
  <dl class="facts">
    {receiptColumns.map(([title, text]) => (
      <Fact key={title} title={title}>
        {text(receipt)}
      </Fact>
    ))}
  </dl>
);
