/** Result of a check as one sentence, without secrets. */
export interface Finding {
  readonly isProblem: boolean;
  readonly text: string;
}
