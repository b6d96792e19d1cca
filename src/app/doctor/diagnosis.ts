export type DiagnosisStatus = 'ok' | 'warning' | 'problem';

/** Result of one check of the installation, as a sentence without secrets. */
export interface Diagnosis {
  readonly check: string;
  readonly status: DiagnosisStatus;
  readonly text: string;
  /** Advice for the operator; absent when no action is needed. */
  readonly advice?: string;
}

export const dayMs = 86_400_000;

/** Returns the worst status; `ok` when there are no diagnoses. */
export function worstOf(diagnoses: readonly Pick<Diagnosis, 'status'>[]): DiagnosisStatus {
  const order = ['problem', 'warning', 'ok'] as const;
  return order.find((status) => diagnoses.some((one) => one.status === status)) ?? 'ok';
}
