import type { ServiceOptions } from '../../config/service-options.js';
import type { Log } from '../../kernel/log.js';
import { checkConnections } from '../check-connections.js';
import { checkCertificates } from './check-certificates.js';
import { checkClock } from './check-clock.js';
import { checkBackup, checkDataDirectory, checkDisks } from './check-data.js';
import { checkService } from './check-service.js';
import type { Diagnosis } from './diagnosis.js';

/**
 * Examines an installation whose configuration is valid, whether the service runs or not. Changes nothing, and asks no
 * server that is not configured. Stops when the signal aborts.
 */
export async function* examine(options: ServiceOptions, log: Log, signal: AbortSignal): AsyncGenerator<Diagnosis> {
  yield checkNode(process.versions.node);
  const { isInUse, diagnosis } = await checkDataDirectory(options.storage);
  yield diagnosis;
  if (isInUse) yield* checkService(options);
  yield* checkDisks(options);
  yield await checkBackup(options, log, Date.now());
  yield* checkClock(options, log);
  if (signal.aborted) return;
  yield* checkCertificates(options, Date.now());
  if (options.storage.kind === 'embedded') yield await describeEmbedded();
  const request = { userName: undefined, includeEmbedded: true };
  for await (const { part, isProblem, text } of checkConnections(options, request, log, signal)) {
    if (!isProblem) yield { check: part, status: 'ok', text };
    else yield { check: part, status: 'problem', text, advice: 'Check its settings, that it runs, and the network.' };
  }
}

/** The oldest version that gets security fixes. */
const maintainedMajor = 22;

/** @param version such as 24.1.0 */
export function checkNode(version: string): Diagnosis {
  const check = 'node';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const text = `Node.js ${version}`;
  if (major < 20 || (major === 20 && minor < 19)) {
    return { check, status: 'problem', text: `${text} is too old`, advice: 'Install Node.js 24.' };
  }
  if (major >= maintainedMajor) return { check, status: 'ok', text };
  return { check, status: 'warning', text: `${text} gets no security fixes any more`, advice: 'Install Node.js 24.' };
}

async function describeEmbedded(): Promise<Diagnosis> {
  const { describeSqlite } = await import('../../engines/sqlite/describe-sqlite.js');
  return { check: 'sqlite', status: 'ok', text: await describeSqlite() };
}
