import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface RunningServer {
  readonly pid: number;
  readonly origin: string;
  /** Time from the start of the process until it reported that it is ready, in milliseconds. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** A program that reports its heap. */
export interface ProbedServer extends RunningServer {
  /** Bytes on the heap of the main thread after a full garbage collection. */
  readHeapBytes(): Promise<number>;
}

/** A program with a probe. */
export interface AskedServer extends RunningServer {
  /** Sends a message to the probe and returns its answer. */
  ask(question: string): Promise<unknown>;
}

/** Options of Node.js that `npm start` uses. */
export const programOptions = ['--max-semi-space-size=4'];
/** Main file of the build that the benchmark itself belongs to. */
export const programFile = fileURLToPath(new URL('../src/main.js', import.meta.url));
const bareServerFile = fileURLToPath(new URL('./bare-server.js', import.meta.url));
const heapProbe = new URL('./heap-probe.js', import.meta.url).href;
const programReady = /plain HTTP\s+(http:\/\/[^/\s]+).*Ctrl-C stops it/s;

/** The processes of a run and the directory that they write to; `clear` ends and removes all of them. */
export class Servers {
  private readonly running = new Set<ChildProcess>();
  private clearing: Promise<void> | undefined;

  private constructor(
    readonly dir: string,
    private readonly nodeOptions: readonly string[],
  ) {}

  /** Creates servers in a new directory in `parentDir`; the options are for the Node.js that runs the program. */
  static async in(parentDir: string, nodeOptions: readonly string[]): Promise<Servers> {
    return new Servers(await mkdtemp(join(parentDir, 'logbook-bench-')), nodeOptions);
  }

  /** Starts the program on the data directory of this name. */
  startProgram(name: string, settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
    return this.startProgramOn(join(this.dir, name), settings);
  }

  /** Starts the program on a data directory that is not removed. */
  async startProgramOn(dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
    const env = { ...programEnvironment(dataDir), ...settings };
    return (await this.start([...programOptions, ...this.nodeOptions, programFile], env, programReady)).server;
  }

  /**
   * Starts the program of any build, with the heap probe, on the data directory of this name. It gets only settings
   * whose names all builds know.
   */
  async startBuild(mainFile: string, name: string): Promise<ProbedServer> {
    const { ask, ...server } = await this.startProbed(mainFile, name, heapProbe, ['--expose-gc']);
    return { ...server, readHeapBytes: async () => Number(await ask('')) };
  }

  /**
   * Starts the program of any build on the data directory of this name, with a module that is loaded before its code
   * and answers messages.
   */
  async startProbed(
    mainFile: string,
    name: string,
    probe: string,
    nodeOptions: readonly string[],
  ): Promise<AskedServer> {
    const args = [...nodeOptions, '--import', probe, ...this.nodeOptions, mainFile];
    const { server, child } = await this.start(args, programEnvironment(join(this.dir, name)), programReady);
    const ask = async (question: string): Promise<unknown> => {
      const answer = once(child, 'message');
      child.send(question);
      return (await answer)[0];
    };
    return { ...server, ask };
  }

  /** Starts a server that answers everything with a body of that many bytes. */
  async startBareServer(bodyBytes: number, kind: 'node:http' | 'fastify' = 'node:http'): Promise<RunningServer> {
    return (await this.start([bareServerFile, String(bodyBytes), kind], {}, /ready at (\S+)\n/)).server;
  }

  /** Ends the running processes and removes the directory. */
  clear(): Promise<void> {
    this.clearing ??= (async () => {
      await Promise.all([...this.running].map((child) => end(child, 'SIGKILL')));
      await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
    })();
    return this.clearing;
  }

  private async start(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    ready: RegExp,
  ): Promise<{ server: RunningServer; child: ChildProcess }> {
    if (this.clearing) throw new Error('the run was interrupted');
    const logFile = join(this.dir, 'log');
    const log = openSync(logFile, 'a');
    const startedMs = performance.now();
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', log, 'ipc'],
    });
    closeSync(log);
    this.running.add(child);
    child.once('exit', () => this.running.delete(child));
    const origin = await outputMatching(child, ready, (code, output) => {
      const errors = readFileSync(logFile, 'utf8').slice(-2_000);
      return new Error(`${args.join(' ')} ended with ${code}: ${output}${errors}`);
    });
    const readyMs = performance.now() - startedMs;
    return { server: { pid: child.pid ?? 0, origin, readyMs, stop: () => end(child, 'SIGTERM') }, child };
  }
}

function programEnvironment(dataDir: string): Record<string, string> {
  return { LOGBOOK_DATA_DIR: dataDir, LOGBOOK_HTTP_PORT: '0', LOGBOOK_HTTPS_PORT: '0' };
}

/** Resolves to the first group of the pattern in what the process writes; rejects when the process ends before. */
function outputMatching(
  child: ChildProcess,
  pattern: RegExp,
  ended: (code: number | null, output: string) => Error,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += String(chunk);
      const [, found] = pattern.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(ended(code, output)));
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
