import { ConfigError } from '../config/load-config.js';
import { printError } from './journal.js';

/**
 * Prints what the command could not do, and why: in one line, or for the configuration one line for each problem. Exit
 * code 1 unless another one is given.
 */
export function reportFailure(failure: string, error: unknown, exitCode = 1): void {
  process.exitCode = exitCode;
  if (error instanceof ConfigError) {
    printError('The configuration has problems; nothing was done:');
    for (const problem of error.problems) printError(`  ${problem}`);
    return;
  }
  printError(`${failure}: ${describe(error)}${describeCause(error)}`);
}

/** The log has nothing about a command that failed, so the cause is printed here. */
function describeCause(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
}

function describe(error: unknown): string {
  const { code, message, path, address, port, hostname } = error as NodeJS.ErrnoException & {
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
      return notWritable(path);
    case 'EPERM':
    case 'EROFS':
      return notWritable(path);
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk is full (${message}). Free some space there, and run the command again.`;
    case 'ENOENT':
      return path === undefined ? message : `${path} does not exist.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} is not a directory.`;
    default:
      return message;
  }
}

function notWritable(path: string | undefined): string {
  return `${path} is not writable. Choose another data directory, or change its permissions.`;
}
