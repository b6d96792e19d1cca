import { execFile } from 'node:child_process';
import type { Log } from '../kernel/log.js';

const attempts = 3;
const pauseMs = 1_000;
/** Time after which a hung `systemd-notify` is killed. */
const timeoutMs = 30_000;

/**
 * Notifies systemd of the state of this process, for units with `Type=notify`. Node.js does not support the datagram
 * sockets on which systemd listens, so `systemd-notify` sends the messages one after the other. Does nothing without
 * such a unit. Never throws, and does not delay its callers.
 */
export class ServiceManager {
  private readonly environment: NodeJS.ProcessEnv | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly log: Log) {
    const { NOTIFY_SOCKET, PATH } = process.env;
    this.environment = NOTIFY_SOCKET === undefined ? undefined : { NOTIFY_SOCKET, PATH };
  }

  /** Reports that requests are answered, and then regularly that the event loop runs. */
  ready(status: string): void {
    this.notify('READY=1', `STATUS=${status}`);
    const { WATCHDOG_USEC: limit, WATCHDOG_PID: pid } = process.env;
    if (limit === undefined || (pid !== undefined && pid !== String(process.pid))) return;
    // systemd recommends half of its limit.
    setInterval(() => this.notify('WATCHDOG=1'), Number(limit) / 2_000).unref();
  }

  /** Reports a reload, and its end, even if the reload fails. */
  async reloading(reload: () => Promise<void>): Promise<void> {
    this.notify('RELOADING=1');
    try {
      await reload();
    } finally {
      this.notify('READY=1');
    }
  }

  stopping(): void {
    this.notify('STOPPING=1', 'STATUS=Finishing the requests in flight');
  }

  private notify(...assignments: readonly string[]): void {
    const { environment } = this;
    if (!environment) return;
    this.last = this.last.then(() => this.send(assignments, environment));
  }

  private async send(assignments: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const error = await new Promise<Error | null>((resolve) => {
        execFile('systemd-notify', assignments, { env, timeout: timeoutMs }, resolve);
      });
      if (!error) return;
      if (attempt === attempts) {
        this.log.warn({ err: error, state: assignments[0] }, 'systemd could not be notified of the state');
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
