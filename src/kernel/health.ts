/** State of something that the readiness of the service depends on. */
export interface HealthCheck {
  readonly name: string;
  /** `warning`: the service works but needs attention; `failed`: writes are refused. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** Result of the check as one sentence. */
  readonly message: string;
  /** Measured values, with their unit in the name. */
  readonly details?: Readonly<Record<string, number>>;
}

export interface HealthSource {
  /** Runs the checks. Never rejects. */
  checkHealth(): Promise<HealthCheck[]>;
}
