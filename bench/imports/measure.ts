import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Timing {
  readonly ms: number;
  /** CPU time of the main thread, which other processes of the machine hardly change; NaN where it is unknown. */
  readonly mainThreadMs: number;
  /** Maximum delay of a turn of the event loop. */
  readonly maxDelayMs: number;
  readonly p99DelayMs: number;
}

export async function measure(work: () => Promise<unknown>): Promise<Timing> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const startedCpuMs = mainThreadCpuMs();
  const startedMs = performance.now();
  await work();
  const ms = performance.now() - startedMs;
  const mainThreadMs = mainThreadCpuMs() - startedCpuMs;
  delays.disable();
  return { ms, mainThreadMs, maxDelayMs: delays.max / 1e6, p99DelayMs: delays.percentile(99) / 1e6 };
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Returns the CPU time of the main thread that the scheduler of Linux counts. */
function mainThreadCpuMs(): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return Number.NaN;
  }
}
