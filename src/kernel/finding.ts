/** What a check has found out, as one sentence without secrets. */
export interface Finding {
  readonly isProblem: boolean;
  readonly text: string;
}
