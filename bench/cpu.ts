import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for programs. */
const ticksPerSecond = 100;
const nanosecondsPerMs = 1_000_000;

/** CPU time of the threads of a process so far, in milliseconds. */
export interface ThreadTimes {
  readonly mainThread: number;
  /** Sum of all threads that have not ended. */
  readonly allThreads: number;
}

/** CPU time of a process so far, in milliseconds, including threads that have ended. It grows in steps of 10 ms. */
export function readCpuMs(pid: number): number {
  return readTicksMs(`/proc/${pid}/stat`);
}

/** Reads the CPU times of a process with the resolution of the scheduler, if the system provides them. */
export function readThreadTimes(pid: number): ThreadTimes {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  // A thread that has just ended has no times.
  const allThreads = threads.reduce((sum, thread) => sum + (readThreadMs(pid, thread) || 0), 0);
  return { mainThread: readThreadMs(pid), allThreads };
}

/** Returns the CPU time of a thread so far, by default the main one, in milliseconds; NaN where it is unknown. */
export function readThreadMs(pid: number, thread = pid): number {
  const task = `/proc/${pid}/task/${thread}`;
  const [nanoseconds] = readOrEmpty(`${task}/schedstat`).split(' ');
  return Number(nanoseconds) / nanosecondsPerMs || readTicksMs(`${task}/stat`);
}

function readTicksMs(file: string): number {
  // The name of the program, in parentheses, may contain spaces.
  const fields = readOrEmpty(file).split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
