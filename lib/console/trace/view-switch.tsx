const views = { transcript: "Transcript", timeline: "Timeline" } as const;

/** Switch between the transcript and the timeline of a trace. */
export const ViewSwitch = ({
  view,
  onChange,
}: {
  readonly view: keyof typeof views;
  readonly onChange: () => void;
}) => (
  <div class="switch" role="group" aria-label="View">
    {(["transcript", "timeline"] as const).map((each) => (
      <button type="button" aria-pressed={view === each} onClick={() => view !== each && onChange()}>
        {views[each]}
      </button>
    ))}
    <span class="faint keys">
      <kbd>t</kbd> switches
    </span>
  </div>
);
