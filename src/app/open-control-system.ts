import { DeviceSources } from '../../packages/control-system/device-sources.js';
import type { History, LiveValues, SourceState } from '../../packages/control-system/sources.port.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import type { ControlSystemOptions } from '../config/service-options.js';
import type { Storage } from '../engines/storage.port.js';
import { DeviceNames } from '../entries/device-names.js';
import { historyValuesJob, liveValuesJob } from '../entries/device-values-job.js';
import { DirectoryNames, directoryNamesJob } from '../entries/directory-names.js';
import { plotsJob } from '../entries/plots-job.js';
import type { RequestMetrics } from '../http/metrics.js';
import type { BackgroundJob } from '../kernel/background-job.js';
import type { Clock } from '../kernel/clock.js';
import type { HealthCheck, HealthSource } from '../kernel/health.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { CleanupStack } from './cleanup-stack.js';

interface Deps {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly jobs: JobRegistry;
  readonly metrics: RequestMetrics;
  readonly log: Log;
}

export interface ControlSystem extends HealthSource {
  /** Sources for the requests of readers. */
  readonly devices: DeviceSources;
  readonly deviceNames: DeviceNames;
}

interface Source {
  readonly state: SourceState;
  close(): void;
}

/** Registers a source, so that its state is reported and it is closed at the end. */
type Use = <T extends Source>(source: T) => T;

/** Number of consecutive requests that may fail before the archiver is paused: one device may be the cause. */
const toleratedFailures = 3;

/**
 * Opens the sources, and starts the jobs that add values to entries. Returns undefined when no source is configured.
 */
export async function openControlSystem(
  options: ControlSystemOptions,
  deps: Deps,
  cleanup: CleanupStack,
): Promise<ControlSystem | undefined> {
  const { deviceNames: _, deviceNamesFromDirectory: __, ...configured } = options;
  if (Object.values(configured).every((source) => source === undefined)) return undefined;
  const sources: Source[] = [];
  const use: Use = (source) => {
    sources.push(source);
    return cleanup.use(source);
  };
  // Readers have separate connections, so that they do not delay the values of entries.
  const [forEntries, devices] = await Promise.all([openValues(options, use), openDevices(options, use)]);
  const deviceNames = await startDeviceNames(options, deps, { use, cleanup });
  startJobs(forEntries, { ...deps, deviceNames }, cleanup);
  await startPlots(options, { ...deps, deviceNames }, { use, cleanup });
  const states = () => byName(sources.map(({ state }) => state));
  deps.metrics.gaugePer(
    'source',
    'logbook_control_system_up',
    'Whether the last request to the source of the control system succeeded.',
    () => states().map(({ name, failure }) => [name, failure === undefined ? 1 : 0]),
  );
  return { devices, deviceNames, checkHealth: async () => [toCheck(states())] };
}

/** Options that determine which names in entries are devices. */
export type DirectoryOptions = Pick<ControlSystemOptions, 'deviceNames' | 'deviceNamesFromDirectory' | 'channelFinder'>;

interface Values {
  readonly live: LiveValues | undefined;
  readonly history: History | undefined;
}

type ValueOptions = Pick<ControlSystemOptions, 'pvws' | 'channelAccess' | 'archiver'>;

async function openValues({ pvws, channelAccess, archiver }: ValueOptions, use: Use): Promise<Values> {
  const { Pvws } = await import('../../packages/control-system/pvws.js');
  const { ChannelAccess } = await import('../../packages/control-system/channel-access.js');
  const { CombinedLiveValues } = await import('../../packages/control-system/combined-live-values.js');
  const { ArchiverAppliance } = await import('../../packages/control-system/archiver-appliance.js');
  const first = pvws && use(new Pvws(pvws));
  const second = channelAccess && use(new ChannelAccess(channelAccess));
  return {
    live: first && second ? new CombinedLiveValues([first, second]) : (first ?? second),
    history: archiver && use(new ArchiverAppliance({ ...archiver, toleratedFailures })),
  };
}

async function openDevices(options: ControlSystemOptions, use: Use): Promise<DeviceSources> {
  const { channelFinder, alarmLogger, saveAndRestore } = options;
  const { ChannelFinder } = await import('../../packages/control-system/channel-finder.js');
  const { AlarmLogger } = await import('../../packages/control-system/alarm-logger.js');
  const { SaveAndRestore } = await import('../../packages/control-system/save-and-restore.js');
  return new DeviceSources({
    ...(await openValues(options, use)),
    directory: channelFinder && use(new ChannelFinder(channelFinder)),
    alarms: alarmLogger && use(new AlarmLogger(alarmLogger)),
    snapshots: saveAndRestore && use(new SaveAndRestore(saveAndRestore)),
  });
}

function startJobs(
  { live, history }: Values,
  { storage, clock, jobs, deviceNames }: Deps & { readonly deviceNames: DeviceNames },
  cleanup: CleanupStack,
): void {
  const deps = { storage, clock, deviceNames };
  if (history) runUntilClosed(jobs.start(historyValuesJob(deps, history)), cleanup);
  if (!live) return;
  const job = jobs.start(liveValuesJob(deps, live, history !== undefined));
  runUntilClosed(job, cleanup);
  cleanup.defer(
    storage.onCommit((commit) => {
      if (commit.feed) job.trigger();
    }),
  );
}

/** Starts reading the names of the directory, if it is configured. */
async function startDeviceNames(
  options: ControlSystemOptions,
  { jobs, log }: Deps,
  { use, cleanup }: { use: Use; cleanup: CleanupStack },
): Promise<DeviceNames> {
  const listed = await openDirectoryNames(options, use);
  if (listed) runUntilClosed(jobs.start(directoryNamesJob(listed, log)), cleanup);
  return new DeviceNames(options.deviceNames, listed);
}

/** Returns the names of the directory, which have not been read yet; undefined when they are not wanted. */
export async function openDirectoryNames(
  { deviceNamesFromDirectory, channelFinder }: DirectoryOptions,
  use: Use,
): Promise<DirectoryNames | undefined> {
  if (!deviceNamesFromDirectory || !channelFinder) return undefined;
  const { ChannelFinder } = await import('../../packages/control-system/channel-finder.js');
  return new DirectoryNames(use(new ChannelFinder(channelFinder)));
}

/**
 * Starts the job that makes plots. It has a separate connection, so that slow plots do not delay the values of entries.
 */
async function startPlots(
  { archiver }: ControlSystemOptions,
  deps: Deps & { readonly deviceNames: DeviceNames },
  { use, cleanup }: { use: Use; cleanup: CleanupStack },
): Promise<void> {
  const onlyPast = { pvws: undefined, channelAccess: undefined, archiver };
  const { history } = await openValues(onlyPast, use);
  if (!history) return;
  runUntilClosed(deps.jobs.start(plotsJob(deps, history)), cleanup);
}

function runUntilClosed(job: BackgroundJob, cleanup: CleanupStack): void {
  // The first run of a job that adds values records the newest change; later runs process the changes after it.
  job.trigger();
  cleanup.defer(() => job.stop());
}

/** Merges the states of sources with the same name. One failed connection makes the source failed. */
function byName(states: readonly SourceState[]): readonly SourceState[] {
  const merged = new Map<string, SourceState>();
  for (const state of states) if (merged.get(state.name)?.failure === undefined) merged.set(state.name, state);
  return [...merged.values()];
}

function toCheck(states: readonly SourceState[]): HealthCheck {
  const failed = states.filter(({ failure }) => failure !== undefined);
  const message = failed.map(({ name, failure }) => `${name}: ${failure}`).join('; ');
  return failed.length === 0
    ? { name: 'controlSystem', status: 'ok', message: 'The sources of the control system answer.' }
    : { name: 'controlSystem', status: 'warning', message: `Data of devices is missing. ${message}.` };
}
