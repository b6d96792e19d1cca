import { existsSync, readFileSync } from 'node:fs';

/** Reads a report of Vitest; undefined when the runner ended without one. */
export function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Whether tests of a file failed, or the file itself. */
export const hasFailed = ({ status }) => status === 'failed';
