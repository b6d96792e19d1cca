import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readThreadMs } from '../cpu.js';

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
  const startedCpuMs = readThreadMs(process.pid);
  const startedMs = performance.now();
  await work();
  const ms = performance.now() - startedMs;
  const mainThreadMs = readThreadMs(process.pid) - startedCpuMs;
  delays.disable();
  return { ms, mainThreadMs, maxDelayMs: delays.max / 1e6, p99DelayMs: delays.percentile(99) / 1e6 };
}
