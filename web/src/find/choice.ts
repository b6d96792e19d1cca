/** A completion of the word that is typed, or an entry to open. */
export interface Choice {
  /** Text that replaces the word. */
  readonly text: string;
  /** The entry that it opens, in place of a search. */
  readonly entryId?: number;
  /** The device whose page it opens. */
  readonly pageOf?: string;
  readonly count?: number;
  /** Text at the end of the line instead of a count. */
  readonly end?: string;
  /** Whether the search is complete with it; a key still needs its value. */
  readonly isWhole: boolean;
  readonly isDevice?: boolean;
}

export interface ChoiceGroup {
  readonly label: string;
  readonly choices: readonly Choice[];
}
