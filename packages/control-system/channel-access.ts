import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BackOff } from './back-off.js';
import { type ChannelAccessRequest, toReading } from './channel-access-reading.js';
import { isRecord } from './lenient-json.js';
import { type LiveValues, noAnswer, type Readings, type SourceState, SourceUnavailable } from './sources.port.js';

export interface ChannelAccessOptions {
  /** Hosts or broadcast addresses where devices are searched, such as `10.1.255.255` or `gateway.example.org:5064`. */
  readonly addresses: readonly string[];
  /** Time limit for finding a device and receiving its value. */
  readonly timeoutMs: number;
}

const program = fileURLToPath(new URL('./channel-access-process.js', import.meta.url));
const memoryMegabytes = 256;
/** Address space that Node.js reserves without using it. The limit of the operating system includes it. */
const reservedMegabytes = 1_024;
/** Time after which an unused process is ended. */
const idleMs = 60_000;
/** Time beyond the time limit after which the process counts as hung. On a busy machine, it may have to start first. */
const hungMs = 30_000;

/** The process has ended, which does not tell anything about the devices. */
class ProcessEnded extends SourceUnavailable {}

/**
 * Channel Access, the protocol of EPICS. Its library runs in a separate process, which ends when it is not used: the
 * library writes to the console, never releases unused data, and parses data from any host of the network.
 */
export class ChannelAccess implements LiveValues {
  private readonly backOff = new BackOff();
  private child: ChildProcess | undefined;
  private isClosed = false;
  private last: Promise<unknown> = Promise.resolve();
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly options: ChannelAccessOptions) {}

  get state(): SourceState {
    return { name: 'channel-access', failure: this.backOff.failure };
  }

  /** Requests are sequential, because the process can handle only one at a time. */
  read(names: readonly string[], signal: AbortSignal): Promise<Readings> {
    const reading = this.last.then(() => this.backOff.run(signal, () => this.readNow(names, signal)));
    this.last = reading.catch(() => undefined);
    return reading;
  }

  close(): void {
    clearTimeout(this.idle);
    this.isClosed = true;
    this.endProcess();
  }

  private endProcess(): void {
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }

  private async readNow(names: readonly string[], signal: AbortSignal): Promise<Readings> {
    clearTimeout(this.idle);
    try {
      return await this.ask(names, signal);
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error;
      return await this.ask(names, signal);
    } finally {
      this.idle = setTimeout(() => this.endProcess(), idleMs).unref();
    }
  }

  private async ask(names: readonly string[], signal: AbortSignal): Promise<Readings> {
    signal.throwIfAborted();
    if (this.isClosed) throw new SourceUnavailable('it is closed');
    this.child ??= this.start();
    const { child } = this;
    const { timeoutMs } = this.options;
    const none = noAnswer(timeoutMs);
    const readings = new Map<string, ReturnType<typeof toReading>>(names.map((name) => [name, none]));
    return await new Promise((resolve, reject) => {
      const end = (failure?: unknown) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        child.off('message', onMessage).off('exit', onExit).off('error', onExit);
        if (failure) this.endProcess();
        if (failure) reject(failure);
        else resolve(readings);
      };
      const abort = () => end(signal.reason);
      const onExit = () => end(new ProcessEnded('its process has ended'));
      const onMessage = (message: unknown) => {
        if (!isRecord(message)) return;
        if (message.failure !== undefined) end(new SourceUnavailable(String(message.failure)));
        else if (message.isEnd === true) end();
        else if (readings.has(String(message.name))) readings.set(String(message.name), toReading(message));
      };
      const timer = setTimeout(() => end(new SourceUnavailable('its process does not answer')), timeoutMs + hungMs);
      signal.addEventListener('abort', abort, { once: true });
      child.on('message', onMessage).on('exit', onExit).on('error', onExit);
      // A process that has just ended cannot receive the request. `onExit` handles that.
      child.send({ names: [...readings.keys()], timeoutMs } satisfies ChannelAccessRequest, () => undefined);
    });
  }

  private start(): ChildProcess {
    const heap = `--max-old-space-size=${memoryMegabytes / 2}`;
    const node = [process.execPath, heap, program, ...this.options.addresses];
    const maxKilobytes = String((memoryMegabytes + reservedMegabytes) * 1_024);
    const limited = ['/bin/sh', '-c', 'ulimit -c 0; ulimit -d "$0" && exec "$@"', maxKilobytes, ...node];
    const [command = process.execPath, ...args] = process.platform === 'win32' ? node : limited;
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      // The process must not inherit secrets.
      env: {},
      windowsHide: true,
    });
    const discard = () => {
      if (this.child === child) this.child = undefined;
    };
    child.on('error', discard).once('exit', discard);
    child.unref();
    child.channel?.unref();
    return child;
  }
}
