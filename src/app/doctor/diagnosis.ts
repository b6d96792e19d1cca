export type DiagnosisStatus = 'ok' | 'warning' | 'problem';

/** What one check of the installation has found, in a sentence without secrets. */
export interface Diagnosis {
  readonly check: string;
  readonly status: DiagnosisStatus;
  readonly text: string;
  /** What to do; absent when nothing is to be done. */
  readonly advice?: string;
}

export const dayMs = 86_400_000;

/** The worst of them; `ok` when there are none. */
export function worstOf(diagnoses: readonly Pick<Diagnosis, 'status'>[]): DiagnosisStatus {
  const order = ['problem', 'warning', 'ok'] as const;
  return order.find((status) => diagnoses.some((one) => one.status === status)) ?? 'ok';
}
