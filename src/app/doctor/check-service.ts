import type { ServiceOptions } from '../../config/service-options.js';
import { askService, ownOrigin } from '../ask-service.js';
import type { Diagnosis } from './diagnosis.js';

const timeoutMs = 10_000;

interface Readiness {
  readonly checks?: Readonly<Record<string, { readonly status: string; readonly message: string }>>;
}

/** Asks the running service for its health checks, at its own address. Yields those that are not ok. */
export async function* checkService({ listeners }: ServiceOptions): AsyncGenerator<Diagnosis> {
  const check = 'service';
  const origin = ownOrigin(listeners);
  if (origin === undefined) {
    yield { check, status: 'ok', text: 'its port is unknown, so it was not queried' };
    return;
  }
  let readiness: Readiness;
  try {
    readiness = (await askService(`${origin}/readyz`, timeoutMs)).body as Readiness;
  } catch (error) {
    const text = `a process uses the data directory, but ${origin}/readyz does not answer: ${(error as Error).message}`;
    const advice = 'It may still be starting, or a command such as a restore is running. Look at its log.';
    yield { check, status: 'warning', text, advice };
    return;
  }
  const troubles = Object.entries(readiness.checks ?? {}).filter(([, { status }]) => status !== 'ok');
  for (const [name, { status, message }] of troubles) {
    const advice = 'See docs/operator/monitoring.md.';
    yield { check, status: status === 'failed' ? 'problem' : 'warning', text: `${name}: ${message}`, advice };
  }
  if (troubles.length === 0) yield { check, status: 'ok', text: `the service at ${origin} is ready` };
}
