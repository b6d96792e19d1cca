import { ConfigError } from '../config/load-config.js';

/** Says in a line or, for the configuration, a line each why the program cannot do what it was asked; exit code 1. */
export function reportStartError(error: unknown): void {
  process.exitCode = 1;
  // A plug-in that was loaded before may have left something open.
  setTimeout(() => process.exit(), 2_000).unref();
  if (error instanceof ConfigError) {
    console.error('The configuration has problems; nothing was started:');
    for (const problem of error.problems) console.error(`  ${problem}`);
    return;
  }
  console.error(`Logbook cannot start: ${describe(error)}`);
}

function describe(error: unknown): string {
  const { code, message, path, address, port, hostname } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
    hostname?: string;
  };
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is taken by another program. Stop that, or choose another port.`;
  if (code === 'EADDRNOTAVAIL') return `this machine has no address ${address}. Set host to one that it has.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `the name ${hostname} has no address here. Set host to a name or address of this machine.`;
  if (code === 'EACCES' && port !== undefined) return `port ${port} needs more rights. Choose a port above 1023.`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `${path} cannot be written. Choose another data directory, or give the rights.`;
  if (code === 'ENOENT' && path !== undefined) return `${path} is not there.`;
  if (code === 'ENOTDIR' || code === 'EEXIST') return `${path} is not a directory.`;
  return message;
}
