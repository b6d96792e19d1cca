import type { SourceState } from '../../packages/control-system/sources.port.js';
import type { ControlSystemOptions } from '../config/service-options.js';
import type { Storage } from '../engines/storage.port.js';
import { historyValuesJob, liveValuesJob } from '../entries/device-values-job.js';
import type { RequestMetrics } from '../http/metrics.js';
import type { BackgroundJob } from '../kernel/background-job.js';
import type { Clock } from '../kernel/clock.js';
import type { HealthCheck, HealthSource } from '../kernel/health.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { CleanupStack } from './cleanup-stack.js';

interface Deps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly jobs: JobRegistry;
  readonly metrics: RequestMetrics;
}

/** Starts the jobs that add the values of devices to entries. Undefined: no source of values is configured. */
export async function openControlSystem(
  { pvws, archiver }: ControlSystemOptions,
  { storage, clock, jobs, metrics }: Deps,
  cleanup: CleanupStack,
): Promise<HealthSource | undefined> {
  if (!pvws && !archiver) return undefined;
  const deps = { storage, clock };
  const sources: { readonly state: SourceState }[] = [];
  if (archiver) {
    const { ArchiverAppliance } = await import('../../packages/control-system/archiver-appliance.js');
    const history = cleanup.use(new ArchiverAppliance(archiver));
    sources.push(history);
    stopLater(jobs.start(historyValuesJob(deps, history)), cleanup);
  }
  if (pvws) {
    const { Pvws } = await import('../../packages/control-system/pvws.js');
    const live = cleanup.use(new Pvws(pvws));
    sources.push(live);
    const job = jobs.start(liveValuesJob(deps, live, archiver !== undefined));
    stopLater(job, cleanup);
    cleanup.defer(
      storage.onCommit((commit) => {
        if (commit.feed) job.trigger();
      }),
    );
  }
  const states = () => sources.map(({ state }) => state);
  metrics.gaugePer(
    'source',
    'logbook_control_system_up',
    'Whether the last request to the source of values succeeded.',
    () => states().map(({ name, failure }) => [name, failure === undefined ? 1 : 0]),
  );
  return { checkHealth: async () => [toCheck(states())] };
}

function stopLater(job: BackgroundJob, cleanup: CleanupStack): void {
  // Its first run notes from which entry on values are added.
  job.trigger();
  cleanup.defer(() => job.stop());
}

function toCheck(states: readonly SourceState[]): HealthCheck {
  const failed = states.filter(({ failure }) => failure !== undefined);
  const message = failed.map(({ name, failure }) => `${name}: ${failure}`).join('; ');
  return failed.length === 0
    ? { name: 'controlSystem', status: 'ok', message: 'The sources of device values answer.' }
    : { name: 'controlSystem', status: 'warning', message: `Device values are missing. ${message}.` };
}
