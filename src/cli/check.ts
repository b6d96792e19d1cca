import { pino } from 'pino';
import { checkConnections } from '../app/check-connections.js';
import type { LoadedConfig } from '../config/load-config.js';
import { commandDestination } from './command-log.js';
import { exitCodes } from './exit-codes.js';
import { noSignIn } from './startup-warnings.js';
import { printStatus } from './status-line.js';

/** Checks the connections to other servers and prints the results. Exit code 1 when there is a problem. */
export async function check(
  { options, logLevel, hasSignIn }: LoadedConfig,
  userName: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  const log = pino({ level: logLevel, base: null }, commandDestination());
  const findings = checkConnections(options, { userName, includeEmbedded: true }, log, stop);
  let count = 0;
  if (!hasSignIn) {
    process.exitCode = exitCodes.failed;
    printStatus(`PROBLEM  sign-in: ${noSignIn}.`);
  }
  for await (const { part, isProblem, text } of findings) {
    count++;
    if (isProblem) process.exitCode = exitCodes.failed;
    printStatus(`${isProblem ? 'PROBLEM' : 'ok     '}  ${part}: ${text}`);
  }
  if (count === 0) console.log('The configuration has no connections to other servers.');
}
