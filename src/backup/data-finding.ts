export interface DataFinding {
  /** `notice`: nothing is wrong, but an operator may wonder. */
  readonly kind: 'problem' | 'notice';
  /** Subject of the finding, such as `entry 41` or a path. */
  readonly subject: string;
  readonly what: string;
  readonly advice: string;
  /** Whether `--repair` corrects it. */
  readonly isRepairable?: boolean;
  /** Whether `checkpoint --accept-loss` accepts it: something is wrong with a stored checkpoint for good. */
  readonly isAcceptable?: boolean;
  /** Whether a backup has copied the defect from the logbook, exactly as it was there. */
  readonly isFromSource?: boolean;
}

export const problem = (subject: string, what: string, advice: string): DataFinding => ({
  kind: 'problem',
  subject,
  what,
  advice,
});

export const notice = (subject: string, what: string, advice: string): DataFinding => ({
  kind: 'notice',
  subject,
  what,
  advice,
});

export function describeFinding({ kind, subject, what, advice }: DataFinding): string {
  return `${kind === 'problem' ? 'PROBLEM' : 'notice '}  ${subject}: ${what}. ${advice}`;
}

/** Takes what is found, in the order in which it is found. */
export type OnFinding = (finding: DataFinding) => void;
