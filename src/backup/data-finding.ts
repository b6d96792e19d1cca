export interface DataFinding {
  /** Severity of the finding. A `notice` is not a problem, but operators may want an explanation. */
  readonly kind: 'problem' | 'notice';
  /** Subject of the finding, such as `entry 41` or a path. */
  readonly subject: string;
  readonly what: string;
  readonly advice: string;
  /** Whether `--repair` corrects it. */
  readonly isRepairable?: boolean;
  /** Whether it is a permanent problem of a stored checkpoint, which `checkpoint --accept-loss` accepts. */
  readonly isAcceptable?: boolean;
  /** Whether the logbook already had the defect when the backup was made. */
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

/** Receives each finding when it is found. */
export type OnFinding = (finding: DataFinding) => void;
