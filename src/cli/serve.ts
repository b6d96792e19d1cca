import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { type Logger, pino } from 'pino';
import { type RunningService, startService } from '../app/start-service.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { ServiceOptions } from '../config/service-options.js';
import { findContained } from '../kernel/contained-calls.js';
import { describeErrorForLog } from '../kernel/log-error.js';
import { withLevels } from './journal.js';
import { ServiceManager } from './service-manager.js';
import { findStartupNotes, findStartupWarnings } from './startup-warnings.js';
import { Stopped, type StopSignals } from './stop-signals.js';
import { takeSockets } from './take-sockets.js';

/** Size at which buffered log lines are written together. */
const logBufferBytes = 15_360;

/** Runs the service until the stop signal. Resolves when it has stopped, or when a stop has cancelled its start. */
export async function serve(config: LoadedConfig, signals: StopSignals): Promise<void> {
  const { options, logLevel, lines, deprecations } = config;
  // As strings, all buffered lines would be copied with each further line.
  const destination = pino.destination({ fd: 2, sync: false, minLength: logBufferBytes, contentMode: 'buffer' });
  const log = pino(
    { level: logLevel, base: null, serializers: { err: (error: unknown) => describeErrorForLog(error) } },
    withLevels(destination),
  );
  logCrash(log, destination);
  for (const details of deprecations) log.warn(details, 'deprecated setting name; it will be removed');
  const listeners = { ...options.listeners, sockets: takeSockets(options.listeners) };
  const service = await startUnlessStopped({ ...options, listeners }, log, signals.stop);
  if (!service) return;
  // Allows growth, which run-program.ts has prevented.
  setFlagsFromString('--semi-space-growth-factor=2');
  const manager = new ServiceManager(log);
  process.on('SIGHUP', () => void manager.reloading(() => service.renewCertificate()));
  const warnings = findStartupWarnings(options);
  for (const warning of warnings) log.warn({}, warning);
  for (const note of findStartupNotes(options)) log.info({}, note);
  log.info({ http: service.addresses.http ?? 'off', https: service.addresses.https ?? 'off' }, 'listening');
  log.debug({ settings: lines }, 'configuration');
  console.log(readyMessage(service, config, warnings));
  manager.ready(`Listening at ${[service.addresses.http, service.addresses.https].filter(Boolean).join(' and ')}`);
  void warnOfConnections(options, log, signals.stop);
  if (!signals.stop.aborted) await once(signals.stop, 'abort');
  manager.stopping();
  console.log(`${signalName(signals.stop)}: shutting down; finishing the requests in flight.`);
  try {
    await service.stop(signals.abandon);
  } catch (error) {
    log.error({ err: error }, 'shutdown failed; acknowledged writes are stored');
    process.exitCode = 1;
  }
}

/** Returns undefined when the signal aborted before the service was ready. */
async function startUnlessStopped(
  options: ServiceOptions,
  log: Logger,
  stop: AbortSignal,
): Promise<RunningService | undefined> {
  try {
    return await startService(options, log, stop);
  } catch (error) {
    if (!stop.aborted || error !== stop.reason) throw error;
    console.log(`${signalName(stop)}: start cancelled.`);
    return undefined;
  }
}

/** Logs problems of the connections to other servers before the first user meets them. Does not delay the start. */
async function warnOfConnections(options: ServiceOptions, log: Logger, stop: AbortSignal): Promise<void> {
  try {
    const { checkConnections } = await import('../app/check-connections.js');
    // The providers have already logged their messages at the start.
    const silent = log.child({}, { level: 'silent' });
    const findings = checkConnections(options, { userName: undefined, includeEmbedded: false }, silent, stop);
    for await (const { part, isProblem, text } of findings) {
      if (isProblem) log.warn({ part, problem: text }, 'connection check failed');
    }
  } catch (error) {
    log.warn({ err: error }, 'connection checks could not be completed');
  }
}

/**
 * Logs a crash before Node.js ends the process with exit code 1. Acknowledged writes are on the disk. A failure of a
 * plug-in does not end the process, and is logged elsewhere.
 */
function logCrash(log: Logger, destination: ReturnType<typeof pino.destination>): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    if (findContained(error)) return;
    log.fatal({ err: error }, 'uncaught exception; exiting');
    destination.flushSync();
  });
}

function readyMessage(
  { addresses }: RunningService,
  { options, usesEvaluationUsers: isDemo }: LoadedConfig,
  warnings: readonly string[],
): string {
  const { rootPath } = options.http;
  const { http, https } = addresses;
  return [
    'Logbook is ready.',
    `  plain HTTP   ${http === undefined ? 'off' : `${http}${rootPath}`}`,
    `  TLS          ${https === undefined ? 'off' : `${https}${rootPath}`}`,
    `  pages        ${http ?? https}/`,
    `  data         ${options.storage.dataDir}`,
    `  sign in      ${describeSignIn(options)}`,
    ...(isDemo ? ['  trial        everyone on this machine can sign in with these public passwords'] : []),
    ...findStartupNotes(options).map((note) => `  note         ${note}`),
    ...warnings.map((warning) => `\n  WARNING: ${warning}`),
    ...(warnings.length > 0 ? [''] : []),
    'Ctrl-C stops it.',
  ].join('\n');
}

/** Returns the authentication providers in the order in which they are tried. */
function describeSignIn({ auth, http }: ServiceOptions): string {
  const names = auth.providers.map(({ scheme }): string =>
    scheme === 'inMemory' ? 'inMemory (admin / adminPass or user / userPass, for evaluation only)' : scheme,
  );

  if (auth.oidc) names.push(`browsers at ${http.rootPath}/login/oidc`);
  return names.join(', ');
}

function signalName({ reason }: AbortSignal): string {
  return reason instanceof Stopped ? reason.signalName : String(reason);
}
