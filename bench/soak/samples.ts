import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Resources that a process and its data directory take at one moment. */
export interface Sample {
  /** Seconds since the beginning. */
  readonly atSeconds: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Open file descriptors, sockets included. */
  readonly descriptors: number;
  /** Total size of all write-ahead logs. */
  readonly logBytes: number;
  /** Total size of all files in the data directory. */
  readonly directoryBytes: number;
}

/** Takes a sample of a service on this machine. */
export async function takeSample(pid: number, origin: string, dataDir: string, startMs: number): Promise<Sample> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const files = listSizes(dataDir);
  const sum = (sizes: readonly (readonly [string, number])[]) => sizes.reduce((total, [, bytes]) => total + bytes, 0);
  return {
    atSeconds: (performance.now() - startMs) / 1_000,
    rssBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024,
    heapBytes: Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)?.[1]),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    logBytes: sum(files.filter(([name]) => name.endsWith('-wal'))),
    directoryBytes: sum(files),
  };
}

function listSizes(dir: string): [name: string, bytes: number][] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const found = statSync(join(dir, name), { throwIfNoEntry: false });
    return found?.isFile() ? [[name, found.size] as [string, number]] : [];
  });
}

/** Returns the slope of the straight line that fits the values best, per second. */
function slopeOf(samples: readonly Sample[], value: (sample: Sample) => number): number {
  const mean = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0) / numbers.length;
  const [times, values] = [samples.map(({ atSeconds }) => atSeconds), samples.map(value)];
  const [meanTime, meanValue] = [mean(times), mean(values)];
  const covariance = times.reduce((total, time, at) => total + (time - meanTime) * ((values[at] ?? 0) - meanValue), 0);
  const variance = times.reduce((total, time) => total + (time - meanTime) ** 2, 0);
  return variance === 0 ? 0 : covariance / variance;
}

export interface Bound {
  readonly what: string;
  readonly measured: string;
  readonly limit: string;
  readonly holds: boolean;
}

const mb = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

/** Maximum growth of the memory from the end of the warm-up to the end: caches fill with the data. */
const maxGrowth = { share: 0.1, bytes: 25_165_824 };
const maxAddedDescriptors = 20;
const maxLogBytes = 67_108_864;

/** Judges the write-ahead logs of all samples, and everything else after the warm-up, which is the first third. */
export function judge(samples: readonly Sample[]): Bound[] {
  const after = samples.slice(Math.floor(samples.length / 3));
  const seconds = (after.at(-1)?.atSeconds ?? 0) - (after[0]?.atSeconds ?? 0);
  const memory = (what: string, value: (sample: Sample) => number): Bound => {
    const slope = slopeOf(after, value);
    const limit = maxGrowth.bytes + maxGrowth.share * Math.min(...after.map(value));
    return {
      what: `growth of ${what} after the warm-up, by its slope`,
      measured: `${mb(slope * seconds)} (${mb(slope * 3_600)}/h)`,
      limit: `at most ${mb(limit)}`,
      holds: slope * seconds <= limit,
    };
  };
  const half = Math.floor(after.length / 2);
  const most = (some: readonly Sample[]) => Math.max(...some.map(({ descriptors }) => descriptors));
  const [before, later] = [most(after.slice(0, half)), most(after.slice(half))];
  const largest = Math.max(...samples.map(({ logBytes }) => logBytes));
  return [
    memory('resident memory', ({ rssBytes }) => rssBytes),
    memory('the heap', ({ heapBytes }) => heapBytes),
    {
      what: 'open files and sockets in the last third',
      measured: String(later),
      limit: `at most ${before + maxAddedDescriptors}, ${maxAddedDescriptors} more than in the third before`,
      holds: later <= before + maxAddedDescriptors,
    },
    {
      what: 'largest total size of the write-ahead logs',
      measured: mb(largest),
      limit: `at most ${mb(maxLogBytes)}`,
      holds: largest <= maxLogBytes,
    },
  ];
}

export function describeSample({ atSeconds, ...sample }: Sample): string {
  const columns = [
    `${Math.round(atSeconds)} s`.padStart(7),
    mb(sample.rssBytes).padStart(10),
    mb(sample.heapBytes).padStart(10),
    String(sample.descriptors).padStart(6),
    mb(sample.logBytes).padStart(10),
    mb(sample.directoryBytes).padStart(11),
  ];
  return columns.join('  ');
}

export const sampleHeader = '   time         rss        heap     fds         WAL    directory';
