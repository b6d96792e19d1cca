import { endProcess } from './end-process.js';

/** Effects of SIGTERM and SIGINT. The first signal stops the service; the next one ends the process within 1 s. */
export interface StopSignals {
  /** Aborts on the first signal, with a `Stopped` as its reason. */
  readonly stop: AbortSignal;
  /** Aborts on the second signal. */
  readonly abandon: AbortSignal;
}

export class Stopped extends Error {
  constructor(readonly signalName: string) {
    super(`stopped by ${signalName}`);
  }
}

/** Time for an abandoned stop to close the data. Acknowledged writes are on the disk in any case. */
const abandonedStopMs = 1_000;

/** Replaces the default effect of SIGTERM and SIGINT, which would end the process immediately. */
export function listenForStopSignals(): StopSignals {
  const stop = new AbortController();
  const abandon = new AbortController();
  const onSignal = (name: string) => {
    if (!stop.signal.aborted) {
      stop.abort(new Stopped(name));
      return;
    }
    process.exitCode = 1;
    abandon.abort(new Stopped(name));
    endProcess(abandonedStopMs);
  };
  for (const name of ['SIGTERM', 'SIGINT']) process.on(name, onSignal);
  return { stop: stop.signal, abandon: abandon.signal };
}
