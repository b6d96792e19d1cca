import type { BackgroundJob } from '../../kernel/background-job.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import type { Listening } from '../listeners.js';
import { loadVersionedTls, tlsFileVersion } from './tls-identity.js';
import type { TlsKeyOptions } from './tls-options.js';

const intervalMs = 5_000;

/** Reloads the certificate when its files change. When that fails, it logs a warning and keeps the previous one. */
export class TlsReload {
  private readonly job: BackgroundJob;

  /** @param loadedVersion version of the files from which the current certificate was read */
  constructor(
    private readonly listening: Listening,
    private readonly keyOptions: TlsKeyOptions,
    private loadedVersion: string,
    private readonly log: Log,
    jobs: JobRegistry,
  ) {
    this.job = jobs.start({
      name: 'tls-reload',
      intervalMs,
      retryMs: intervalMs,
      failure: 'TLS certificate reload failed; keeping the previous certificate',
      run: () => this.reloadIfChanged(),
    });
  }

  /** Checks the files immediately; resolves when a changed certificate is in use or was refused. */
  async checkNow(): Promise<void> {
    await this.job.runNow().catch(() => undefined);
  }

  async stop(): Promise<void> {
    await this.job.stop();
  }

  /**
   * Reloads the certificate if its files have changed. A failed reload is repeated, because only half of a pair may
   * have been replaced, or a file may become readable later.
   */
  private async reloadIfChanged(): Promise<'idle'> {
    if ((await tlsFileVersion(this.keyOptions)) === this.loadedVersion) return 'idle';
    const { identity, version } = await loadVersionedTls(this.keyOptions);
    this.listening.reloadTls(identity);
    this.loadedVersion = version;
    this.log.info({}, 'TLS certificate reloaded');
    return 'idle';
  }
}
