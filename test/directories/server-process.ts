import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const startMs = 300_000;

/** A third-party directory server as a child process. */
export class ServerProcess {
  private output = '';
  private readonly exited: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    this.exited = once(child, 'exit');
    child.on('error', () => undefined);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        this.output = `${this.output}${chunk}`.slice(-2_000);
      });
    }
  }

  /** Resolves when the server accepts connections. */
  static async start(command: string, args: readonly string[], host: string, port: number): Promise<ServerProcess> {
    const server = new ServerProcess(spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] }));
    for (const deadline = Date.now() + startMs; !(await acceptsConnections(host, port)); await sleep(50)) {
      if (server.child.exitCode !== null || server.child.pid === undefined || Date.now() > deadline) {
        await server.stop();
        throw new Error(`${command} did not start: ${server.output}`);
      }
    }
    return server;
  }

  async stop(): Promise<void> {
    if (this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 5_000);
    await this.exited;
    clearTimeout(timer);
  }
}

async function acceptsConnections(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
