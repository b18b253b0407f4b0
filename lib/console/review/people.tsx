import type { TraceScore } from "../../client/interface.ts";
import { findProject, memberName, organizations } from "../organizations.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { sharedRequest } from "../shared-request.ts";
import { client, currentViewer } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";

/** Names of the members of the project's organization by their ids, the signed-in user's as `you`; none for an API key, which reads no members. */
const names = sharedRequest(async (): Promise<ReadonlyMap<string, string>> => {
  const viewer = currentViewer.value;
  if (viewer?.kind !== "token") return new Map();
  const [me, all] = await Promise.all([client.value.getMe(), organizations.load()]);
  const ofProject = await findProject(all, viewer.projectId);
  const path = ofProject && { org_id: ofProject.organization.id };
  const members = path === null ? [] : await collect(client.value.each.listMembers({ path }));
  return new Map([...members.map((member) => [member.user_id, memberName(member)] as const), [me.id, "you"]]);
});

/** Name of a user, `you` for the signed-in one; the beginning of the id of one who is no member, or whose name may not be read. */
export const PersonName = ({ id }: { readonly id: string }) => {
  const { value, isLoading } = useLoad(() => names.load(), []);
  return (
    <span dir="auto" title={id}>
      {value?.get(id) ?? (isLoading ? "…" : `user ${id.slice(0, 8)}`)}
    </span>
  );
};

/** Max scores of people that are read for a metric of a trace, the newest first. */
const maxScores = 200;

/** The newest score of each further person for the same trace and metric, with name, reason and time; nothing without one. */
export const PeopleScores = ({ score }: { readonly score: TraceScore }) => {
  const { trace_id, name, updated_at: changedAt } = score;
  const { value, error, reload } = useLoad(
    async (signal) => {
      const query = { trace_id, name, source: "ANNOTATION", limit: maxScores } as const;
      return (await client.value.listTraceScores({ query }, { signal })).items;
    },
    [trace_id, name, changedAt],
  );
  const byPerson = Map.groupBy(value ?? [], ({ author_user_id: author }) => author);
  if (score.source === "ANNOTATION") byPerson.delete(score.author_user_id);
  const newest = [...byPerson.values()].flatMap(([first]) => first ?? []);
  return (
    <>
      <ErrorAlert error={error} reload={reload} />
      {newest.length > 0 && (
        <ul class="quotes" aria-label="Scores of other people">
          {newest.map(({ id, value: text, author_user_id: author, reason, updated_at: at }) => (
            <li key={id}>
              <b dir="auto">{text ?? "…"}</b> {author === null ? "a person" : <PersonName id={author} />}{" "}
              <span class="faint">
                <LocalTime at={at} />
              </span>
              {reason !== null && <div dir="auto">{reason}</div>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

/** Says that a score was changed while it was reviewed, with both values; a button for each decides. */
export const ScoreConflict = ({
  before,
  current,
  value,
  onKeep,
  onReplace,
}: {
  readonly before: TraceScore;
  readonly current: Pick<TraceScore, "value" | "author_user_id" | "reason">;
  /** Value that has not been stored. */
  readonly value: string;
  readonly onKeep: () => void;
  readonly onReplace: () => void;
}) => (
  <div class="trouble" role="alert">
    <p dir="auto">
      Changed since you opened it: {before.value ?? "no score"} is now <b>{current.value ?? "no score"}</b>
      {current.author_user_id !== null && (
        <>
          {" "}
          by <PersonName id={current.author_user_id} />
        </>
      )}
      {current.reason !== null && current.reason !== before.reason && <> (“{current.reason}”)</>}. Yours, {value}, is
      not stored.
    </p>
    <p class="buttons">
      <button type="button" onClick={onKeep}>
        Keep {current.value ?? "no score"}
      </button>
      <button type="button" onClick={onReplace}>
        Store {value} all the same
      </button>
    </p>
  </div>
);
