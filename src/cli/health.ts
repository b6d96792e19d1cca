import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { askService, ownOrigin } from '../app/ask-service.js';
import type { LoadedConfig } from '../config/load-config.js';
import { addSettings, load } from './command-settings.js';
import { UsageError } from './usage-error.js';

export interface HealthFlags {
  /** Whether to ask if the service can accept requests, and not only if it runs. */
  readonly ready?: boolean;
  /** Process id of the service. Its arguments are read instead of those of this command. */
  readonly of?: string;
}

const timeoutMs = 10_000;

/** Asks the service at its configured listener whether it is healthy. Exit code 1 when it is not. */
export async function health(command: Command): Promise<void> {
  const { ready = false, of } = command.opts<HealthFlags>();
  const { options } = of === undefined ? load(command) : loadOf(of);
  const origin = ownOrigin(options.listeners);
  if (origin === undefined) throw new Error('httpPort or httpsPort must be a fixed port for the service to be asked');
  const url = `${origin}/${ready ? 'readyz' : 'healthz'}`;
  let status: number;
  try {
    ({ status } = await askService(url, timeoutMs));
  } catch (error) {
    throw new Error(`${url} does not answer: ${(error as Error).message}`);
  }
  if (status === 200) console.log(`ok: ${url}`);
  else throw new Error(`${url} answers with ${status}`);
}

/**
 * Returns the configuration of a running service, read from the arguments of its process.
 * @throws Error when there is no such process
 */
function loadOf(pid: string): LoadedConfig {
  if (!/^[1-9]\d*$/.test(pid)) throw new UsageError(`--of ${pid}: give the number of a process`);
  let words: string[];
  try {
    words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    throw new Error(`there is no process ${pid}, or its arguments cannot be read. Is the service running?`);
  }
  // The arguments of a container's init process also contain those of the program.
  const at = words.findIndex((word) => ['main.js', 'logbook'].includes(basename(word)));
  const args = at < 0 ? [] : words.slice(at + 1);
  const command = addSettings(new Command('serve')).allowUnknownOption().allowExcessArguments();
  return load(command.parse(args, { from: 'user' }));
}
