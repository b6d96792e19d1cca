import type { Command } from 'commander';
import { reportFailure } from './report-failure.js';

/** Returns the action of a command without arguments; when it fails, prints `failure` and why. */
export function reporting(failure: string, run: (command: Command) => Promise<void>) {
  return async (_options: unknown, command: Command): Promise<void> => {
    try {
      await run(command);
    } catch (error) {
      reportFailure(failure, error);
    }
  };
}
