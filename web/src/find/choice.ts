/** A completion of the word that is typed. */
export interface Choice {
  /** Text that replaces the word. */
  readonly text: string;
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
