import { reportFailure } from './report-failure.js';

/** Returns the action of a command. A failure is printed as `failure` with the reason, and sets `exitCode`. */
export function reporting(failure: string, run: () => Promise<void>, exitCode = 1) {
  return async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      reportFailure(failure, error, exitCode);
    }
  };
}
