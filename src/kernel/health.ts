/** The state of something on which the readiness of the service depends. */
export interface HealthCheck {
  readonly name: string;
  /** `warning`: the service works, but somebody should look; `failed`: writes are refused. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** Result of the check, in one sentence. */
  readonly message: string;
  /** Figures, with their unit in the name. */
  readonly details?: Readonly<Record<string, number>>;
}

export interface HealthSource {
  /** Checks now. Never rejects. */
  checkHealth(): Promise<HealthCheck[]>;
}
