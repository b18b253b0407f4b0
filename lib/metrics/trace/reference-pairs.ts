/** Pairs of a user's message and its answer, each pair about another subject. Texts of different pairs serve as unrelated texts. */
export const referencePairs: readonly (readonly [message: string, answer: string])[] = [
  [
    "Where is my parcel? I ordered it ten days ago.",
    "It left the depot in Lyon this morning and will be with you by Thursday.",
  ],
  [
    "Cancel my flight on the 12th and tell me what I get back.",
    "The booking is cancelled; $214 go back to your card within a week.",
  ],
  [
    "Why does this query take 40 seconds?",
    "It scans the whole table, for there is no index on the column that it filters by.",
  ],
  [
    "Summarise the meeting of Tuesday for me.",
    "The team agreed to ship in June, Ana writes the migration, the budget stays open.",
  ],
  [
    "Can I take ibuprofen together with this antibiotic?",
    "The two are not known to interact, but ask your pharmacist if your stomach is sensitive.",
  ],
  [
    "Write a birthday greeting for my aunt who loves gardening.",
    "May your year bloom like the roses you tend, dear aunt, with sun on every path.",
  ],
  [
    "What is the tax on a salary of 52,000 here?",
    "On that income you pay about 11,300, before allowances for children or commuting.",
  ],
  [
    "The heating in room 4 is broken again.",
    "I opened a ticket with the caretaker; a technician comes tomorrow between 8 and 10.",
  ],
];
