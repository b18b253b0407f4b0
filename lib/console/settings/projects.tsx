import { useSignal } from "@preact/signals";
import { handleSubmit, bindText } from "../parts/form-bindings.ts";
import { useLoad } from "../use-load.ts";
import { isAtLeast, projects } from "../organizations.ts";
import { client } from "../sign-in.ts";
import { LocalTime } from "../parts/labels.tsx";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { MaskingForm } from "./masking.tsx";
import { Section, type OrganizationProps } from "./section.tsx";

/** Settings section with an organization's projects: admins and owners create them, owners delete them. */
export const ProjectListSettings = ({ organization: { id: org_id, role } }: OrganizationProps) => {
  const list = useLoad(() => projects.load(org_id), [org_id]);
  const { perform, isBusy, outcome } = useAction();
  const name = useSignal("");
  const reload = (): void => {
    projects.forget();
    list.reload();
  };
  const create = () =>
    perform(async () => {
      const project = await client.value.createProject({ path: { org_id }, body: { name: name.value } });
      name.value = "";
      reload();
      return `${project.name} is created.`;
    });
  const remove = (project_id: string, label: string) =>
    perform(async () => {
      await client.value.deleteProject({ path: { org_id, project_id } });
      reload();
      return `${label} is deleted; see its receipt under Deletions.`;
    });
  return (
    <Section
      title="Projects"
      list={list}
      emptyText="No projects yet."
      columns={[
        ["Name", ({ name: label }) => <span dir="auto">{label}</span>],
        ["Description", ({ description }) => <span dir="auto">{description}</span>],
        ["Created", ({ created_at: at }) => <LocalTime at={at} />],
        [
          <span class="unseen">Actions</span>,
          ({ id, name: label }) =>
            role === "OWNER" && (
              <ConfirmButton
                label="Delete"
                question={`Delete ${label} with all its traces, runs and scores?`}
                onConfirm={() => void remove(id, label)}
              />
            ),
        ],
      ]}
    >
      {isAtLeast(role, "ADMIN") &&
        list.value?.map((project) => (
          <details key={project.id}>
            <summary dir="auto">Masking of {project.name}</summary>
            <MaskingForm project={project} onSave={projects.forget} />
          </details>
        ))}
      {isAtLeast(role, "ADMIN") ? (
        <form class="buttons" onSubmit={handleSubmit(create)}>
          <label>
            New project <input required {...bindText(name)} />
          </label>
          <button type="submit" disabled={isBusy}>
            Create
          </button>
        </form>
      ) : (
        <p class="faint">Only admins and owners create projects; only owners delete them.</p>
      )}
      {outcome}
    </Section>
  );
};
