import { Switch } from "../parts/controls.tsx";

const views = { transcript: "Transcript", timeline: "Timeline" } as const;

/** Switch between the transcript and the timeline of a trace. */
export const ViewSwitch = ({
  view,
  onChange,
}: {
  readonly view: keyof typeof views;
  readonly onChange: () => void;
}) => (
  <div class="switch">
    <Switch label="View" value={view} options={views} onSelect={(next) => next !== view && onChange()} />
    <span class="faint keys">
      <kbd>t</kbd> switches
    </span>
  </div>
);
