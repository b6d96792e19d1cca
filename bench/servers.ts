import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface RunningServer {
  readonly pid: number;
  readonly origin: string;
  /** From the start of the process until it said that it is ready, in milliseconds. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

const programFile = fileURLToPath(new URL('../src/main.js', import.meta.url));
const bareServerFile = fileURLToPath(new URL('./bare-server.js', import.meta.url));

/** The processes of a run and the directory that they write to; nothing of either is left after `clear`. */
export class Servers {
  private readonly running = new Set<ChildProcess>();
  private clearing: Promise<void> | undefined;

  private constructor(
    readonly dir: string,
    private readonly nodeOptions: readonly string[],
  ) {}

  /** In a new directory in `parentDir`; the options are for the node that runs the program. */
  static async in(parentDir: string, nodeOptions: readonly string[]): Promise<Servers> {
    return new Servers(await mkdtemp(join(parentDir, 'logbook-bench-')), nodeOptions);
  }

  /** The real program, on the data directory of this name. */
  startProgram(name: string, settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
    return this.startProgramOn(join(this.dir, name), settings);
  }

  /** The real program, on a data directory that is kept. */
  startProgramOn(dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
    const env = {
      LOGBOOK_DATA_DIR: dataDir,
      LOGBOOK_HTTP_PORT: '0',
      LOGBOOK_HTTPS_PORT: '0',
      // Of entries that were loaded, there are no files.
      LOGBOOK_ATTACHMENT_TEXT_SEARCH: 'false',
      ...settings,
    };
    return this.start([...this.nodeOptions, programFile], env, /plain HTTP\s+(http:\/\/[^/\s]+).*Ctrl-C stops it/s);
  }

  /** `node:http` alone, answering everything with a body of so many bytes. */
  startBareServer(bodyBytes: number): Promise<RunningServer> {
    return this.start([bareServerFile, String(bodyBytes)], {}, /ready at (\S+)\n/);
  }

  /** Ends what runs and removes the directory. */
  clear(): Promise<void> {
    this.clearing ??= (async () => {
      await Promise.all([...this.running].map((child) => end(child, 'SIGKILL')));
      await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
    })();
    return this.clearing;
  }

  private async start(args: string[], env: Record<string, string>, ready: RegExp): Promise<RunningServer> {
    if (this.clearing) throw new Error('the run was ended');
    const logFile = join(this.dir, 'log');
    const log = openSync(logFile, 'a');
    const startedMs = performance.now();
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', log],
    });
    closeSync(log);
    this.running.add(child);
    const origin = await new Promise<string>((resolve, reject) => {
      let output = '';
      child.stdout?.on('data', (chunk) => {
        output += String(chunk);
        const [, address] = ready.exec(output) ?? [];
        if (address !== undefined) resolve(address);
      });
      child.once('exit', (code) => {
        this.running.delete(child);
        reject(
          new Error(`${args.join(' ')} ended with ${code}: ${output}${readFileSync(logFile, 'utf8').slice(-2_000)}`),
        );
      });
    });
    const readyMs = performance.now() - startedMs;
    return { pid: child.pid ?? 0, origin, readyMs, stop: () => end(child, 'SIGTERM') };
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
