import { reportFailure } from './report-failure.js';

/** Returns the action of a command. If it fails, it prints `failure` with the reason, and exits with `exitCode`. */
export function reporting(failure: string, run: () => Promise<void>, exitCode = 1) {
  return async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      reportFailure(failure, error, exitCode);
    }
  };
}
