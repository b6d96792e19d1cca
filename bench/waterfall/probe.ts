import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';
import type { CalledFunction, CpuProfile } from './layers.js';

// Loaded into the measured program before its own code: profiles its main thread, and lists the functions that ran. Each
// message names what to do, and is answered when it is done.

const sampleMicroseconds = 100;

if (isMainThread) {
  process.on('message', (question) => void answer(String(question)));
  // The open channel must not keep the program running.
  process.channel?.unref();
}

async function answer(question: string): Promise<void> {
  process.send?.((await commands[question]?.()) ?? null);
}

const session = new Session();

const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  async startProfile() {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: sampleMicroseconds });
    await session.post('Profiler.start');
  },
  async stopProfile(): Promise<CpuProfile> {
    const { profile } = await session.post('Profiler.stop');
    await end();
    return profile;
  },
  async startCoverage() {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // Only functions that are called from here on count.
    await session.post('Profiler.takePreciseCoverage');
  },
  async stopCoverage(): Promise<CalledFunction[]> {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    await end();
    return result.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ ranges }) => ({ url, offset: ranges[0]?.startOffset ?? 0 })),
    );
  },
};

async function end(): Promise<void> {
  await session.post('Profiler.disable');
  session.disconnect();
}
