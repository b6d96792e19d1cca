import type { Directory } from '../../packages/control-system/sources.port.js';
import type { Job } from '../kernel/background-job.js';
import type { Log } from '../kernel/log.js';

/** Maximum number of names that are recognised, which bounds their memory. */
const maxNames = 200_000;
const intervalMs = 3_600_000;
const retryMs = 60_000;

/** Names of a directory of devices, as it was when it was last read. Empty until then. */
export class DirectoryNames {
  private names: ReadonlySet<string> = new Set();

  constructor(private readonly directory: Directory) {}

  has(name: string): boolean {
    return this.names.has(name);
  }

  /** Reads the directory. Returns whether it has more names than are recognised. @throws SourceUnavailable */
  async read(signal: AbortSignal): Promise<{ readonly isCut: boolean }> {
    const names = await this.directory.list(maxNames + 1, signal);
    const isCut = names.size > maxNames;
    this.names = isCut ? new Set([...names].slice(0, maxNames)) : names;
    return { isCut };
  }
}

/** Returns the job that reads the names at the start and then every hour. */
export function directoryNamesJob(names: DirectoryNames, log: Log): Job {
  return {
    name: 'device-names',
    intervalMs,
    retryMs,
    failure: 'names of devices could not be read from the directory; will retry',
    async run(signal) {
      const { isCut } = await names.read(signal);
      if (isCut)
        log.warn({ recognised: maxNames }, 'the directory has too many names; some devices are not recognised');
      return 'idle';
    },
  };
}
