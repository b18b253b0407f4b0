const views = { transcript: "Transcript", timeline: "Timeline" } as const;

/** As a conversation, or as bars below each other. */
export const ViewSwitch = ({ view, change }: { readonly view: keyof typeof views; readonly change: () => void }) => (
  <div class="switch" role="group" aria-label="View">
    {(["transcript", "timeline"] as const).map((each) => (
      <button type="button" aria-pressed={view === each} onClick={() => view !== each && change()}>
        {views[each]}
      </button>
    ))}
    <span class="faint keys">
      <kbd>t</kbd> switches
    </span>
  </div>
);
