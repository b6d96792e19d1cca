import { readFileSync } from 'node:fs';

/** Resident size of a process in MB (1024 × 1024 bytes): now, and at its maximum. */
export interface Memory {
  readonly now: number;
  readonly peak: number;
}

/** Reads the memory of a process; undefined where there is no /proc. */
export function readMemory(pid: number): Memory | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
  const megabytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1_024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
