import { stat } from 'node:fs/promises';
import type { BackgroundJob } from '../../kernel/background-job.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import type { Listening } from '../listeners.js';
import { loadTlsIdentity, tlsFiles } from './tls-identity.js';
import type { TlsKeyOptions } from './tls-options.js';

const intervalMs = 5_000;

/** Reloads the certificate when its files change. When that fails, it logs a warning and keeps the previous one. */
export class TlsReload {
  private readonly job: BackgroundJob;
  /** Version of the files from which the current certificate was read. */
  private loadedVersion: Promise<string>;

  constructor(
    private readonly listening: Listening,
    private readonly keyOptions: TlsKeyOptions,
    private readonly log: Log,
    jobs: JobRegistry,
  ) {
    this.loadedVersion = this.fileVersion();
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
    const version = await this.fileVersion();
    if (version === (await this.loadedVersion)) return 'idle';
    this.listening.reloadTls(await loadTlsIdentity(this.keyOptions));
    this.loadedVersion = Promise.resolve(version);
    this.log.info({}, 'TLS certificate reloaded');
    return 'idle';
  }

  /** Returns a text that changes whenever one of the files changes. */
  private async fileVersion(): Promise<string> {
    const versions = tlsFiles(this.keyOptions).map(async (file) => {
      const { ino, ctimeMs, size } = await stat(file).catch(() => ({ ino: 0, ctimeMs: 0, size: 0 }));
      return `${ino} ${ctimeMs} ${size}`;
    });
    return (await Promise.all(versions)).join('|');
  }
}
