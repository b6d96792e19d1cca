import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for programs. */
const ticksPerSecond = 100;

/** CPU time of a process so far, in milliseconds. */
export function readCpuMs(pid: number): number {
  return cpuMsIn(`/proc/${pid}/stat`);
}

/** CPU time of the main thread of a process so far, in milliseconds. */
export function readMainThreadMs(pid: number): number {
  return cpuMsIn(`/proc/${pid}/task/${pid}/stat`);
}

function cpuMsIn(file: string): number {
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}
