import { reportFailure } from './report-failure.js';

/** Returns the action of a command; when it fails, it prints `failure` and why, and ends with `exitCode`. */
export function reporting(failure: string, run: () => Promise<void>, exitCode = 1) {
  return async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      reportFailure(failure, error, exitCode);
    }
  };
}
