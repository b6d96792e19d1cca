import { readFileSync } from 'node:fs';
import type { ServiceOptions } from '../../config/service-options.js';
import type { Log } from '../../kernel/log.js';
import { checkConnections } from '../check-connections.js';
import { checkCertificates } from './check-certificates.js';
import { checkClock } from './check-clock.js';
import { checkBackup, checkDataDirectory, checkDisks } from './check-data.js';
import { checkOwners } from './check-owners.js';
import { checkService } from './check-service.js';
import type { Diagnosis } from './diagnosis.js';

/**
 * Examines an installation with a valid configuration, whether the service runs or not. Changes nothing, and contacts
 * only configured servers. Stops when the signal aborts.
 */
export async function* examine(options: ServiceOptions, log: Log, signal: AbortSignal): AsyncGenerator<Diagnosis> {
  yield checkNode(process.versions.node, isFromDebian13());
  const { isInUse, diagnosis } = await checkDataDirectory(options.storage);
  yield diagnosis;
  yield* checkOwners(options, isInUse);
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

/** The oldest major version that receives security fixes. */
const maintainedMajor = 22;

/**
 * @param version version such as 24.1.0
 * @param isMaintained whether the distribution maintains it after Node.js has ended its support
 */
export function checkNode(version: string, isMaintained = false): Diagnosis {
  const check = 'node';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const text = `Node.js ${version}`;
  if (major < 20 || (major === 20 && minor < 19)) {
    return { check, status: 'problem', text: `${text} is too old`, advice: 'Install Node.js 24.' };
  }
  if (isMaintained) return { check, status: 'ok', text: `${text} of Debian, which maintains it` };
  if (major >= maintainedMajor) return { check, status: 'ok', text };
  return { check, status: 'warning', text: `${text} no longer gets security fixes`, advice: 'Install Node.js 24.' };
}

/** Returns whether Node.js is that of Debian 13, which provides its own security fixes for Node.js 20. */
function isFromDebian13(): boolean {
  if (process.execPath !== '/usr/bin/node') return false;
  try {
    const release = readFileSync('/etc/os-release', 'utf8');
    return /^ID="?debian"?$/m.test(release) && Number(/^VERSION_ID="?(\d+)/m.exec(release)?.[1]) >= 13;
  } catch {
    return false;
  }
}

async function describeEmbedded(): Promise<Diagnosis> {
  const { describeSqlite } = await import('../../engines/sqlite/describe-sqlite.js');
  return { check: 'sqlite', status: 'ok', text: await describeSqlite() };
}
