import type { Command } from 'commander';
import { reportFailure } from './report-failure.js';

/** Returns the action of a command; when it fails, it prints `failure` and why, and ends with `exitCode`. */
export function reporting(failure: string, run: (command: Command) => Promise<void>, exitCode = 1) {
  // The arguments come first, then the options, then the command.
  return async (...args: readonly unknown[]): Promise<void> => {
    try {
      await run(args.at(-1) as Command);
    } catch (error) {
      reportFailure(failure, error, exitCode);
    }
  };
}
