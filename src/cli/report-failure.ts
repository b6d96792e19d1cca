import { ConfigError } from '../config/config-error.js';
import { ConfigurationError } from '../kernel/configuration-error.js';
import { describeFileError } from '../kernel/file-error.js';
import { exitCodes } from './exit-codes.js';
import { printError } from './journal.js';
import { UsageError } from './usage-error.js';

/**
 * Prints what the command could not do, with the reason. Problems of the configuration are printed one per line.
 * @param exitCode exit code of failures other than a wrong command line or configuration
 */
export function reportFailure(failure: string, error: unknown, exitCode: number = exitCodes.failed): void {
  process.exitCode = exitCodeOf(error) ?? exitCode;
  if (error instanceof ConfigError) {
    printError('The configuration has problems; nothing was done:');
    for (const problem of error.problems) printError(`  ${problem}`);
    return;
  }
  if (error instanceof UsageError) {
    printError(`error: ${error.message.replace(/[.]?$/, '.')}`);
    return;
  }
  printError(`${failure}: ${describe(error)}${describeCause(error)}`);
}

function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UsageError) return exitCodes.usage;
  return error instanceof ConfigurationError ? exitCodes.configuration : undefined;
}

/** Returns the cause of an error, which no log contains, unless the message already contains it. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return '';
  const { message, code } = error.cause as NodeJS.ErrnoException;
  if (typeof code === 'string' && error.message.includes(code)) return '';
  return error instanceof ConfigurationError || error.message.includes(message) ? '' : ` (${message})`;
}

function describe(error: unknown): string {
  const { code, message, address, port, hostname } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
    hostname?: string;
  };
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${address} is used by another program. Stop that program, or choose another port.`;
    case 'EADDRNOTAVAIL':
      return `this machine does not have the address ${address}. Set host to one of its addresses.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${hostname} cannot be resolved. Set host to a name or address of this machine.`;
    case 'EACCES':
      if (port !== undefined) return `port ${port} requires more privileges. Choose a port above 1023.`;
  }
  return describeFileError(error) ?? message;
}
